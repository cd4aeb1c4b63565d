// Decoding with a cache, on the page: step t reads token t, keeps its key and value, and asks with its query
// alone. Row t of the output is row t of one masked pass. Source: lesson 16; Shazeer 2019, "Fast Transformer
// Decoding", section 2.

#include "core/broadcast.hpp"
#include "core/memory.hpp"
#include "input/give.hpp"
#include "lessons/practice.hpp"
#include "steps/attention_steps.hpp"
#include "trace/compute.hpp"
#include "trace/labels.hpp"

#include <cmath>
#include <numeric>

namespace tfx {

namespace {

class Decoding {
public:
  explicit Decoding(const LessonInput& input) : t_(begin("cache", input, "output")) {
    const std::string X = input.has("X") ? "X" : "X_Q";
    give_tokens(*input.given.find(X));
    add_positions();
    for (const std::string letter : {"Q", "K", "V"}) project(input, letter);
    add_steps();
  }

  Trace finished() { return std::move(t_); }

private:
  // The recorded operation is what computes: nothing here has a second formula.
  void add(const std::string& name, const std::string& formula, How how, Shape shape) {
    t_.add(name, formula, how, Role::result, [&] {
      return compute(how, shape, [&](const std::string& tensor) -> const Tensor& { return t_[tensor]; });
    });
  }

  // Given numbers: which row, which step.
  void give_numbers(const std::string& name, const std::string& source, Shape shape,
                    const std::function<double(std::size_t step, std::size_t row)>& number) {
    Tensor value(std::move(shape));
    for (std::size_t i = 0; i < value.size(); ++i)
      value.data[i] = value.size() == n_ * n_ ? number(i / n_, i % n_) : number(i, 0);
    Labels labels(value.rank());
    labels[0] = names_;
    if (value.size() == n_ * n_ && n_ > 1) labels[value.shape[1] == n_ ? 1 : 2] = names_;
    t_.add_input(name, source, std::move(value), std::move(labels));
  }

  void give_tokens(const Step& X) {
    n_ = X.value.shape[X.value.rank() - 2], d_ = X.value.shape.back();
    names_ = X.labels[X.value.rank() - 2];
    if (names_.empty()) names_ = numbered("x", n_);
    require_memory(3.0 * sizeof(double) * static_cast<double>(n_) * static_cast<double>(n_) *
                       static_cast<double>(d_),
                   "what every step has kept");
    t_.add_input("X", X.formula, to_tensor(matrix(X.value)), {names_, {}});
  }

  void add_positions() {
    give_numbers("positions", "0 … n − 1", {n_}, [](std::size_t step, std::size_t) { return step; });
    add("angles", "positions/10000^(2⌊j/2⌋/d)",
        how::of(Op::angle, {"positions"}, static_cast<double>(d_), std::to_string(d_)), {n_, d_});
    add("position_vectors", "sin(angles[:, 0::2]), cos(angles[:, 1::2])", how::of(Op::sin_cos, {"angles"}),
        {n_, d_});
    add("inputs", "X + position_vectors", how::of(Op::add, {"X", "position_vectors"}), {n_, d_});
  }

  // Row t is computed in step t, and never again.
  void project(const LessonInput& input, const std::string& letter) {
    const std::string name = letter == "Q"   ? "queries"
                             : letter == "K" ? "keys"
                                             : "values",
                      W = "W_" + letter, b = "b_" + letter;
    give(t_, input, W), give(t_, input, b);
    const bool biased = t_.has(b);
    add(name, "inputs·" + W + (biased ? " + " + b : ""),
        biased ? how::of(Op::matmul, {"inputs", W, b}) : how::of(Op::matmul, {"inputs", W}),
        {n_, t_[W].shape.back()});
  }

  void add_steps() {
    const std::size_t d_k = t_["keys"].shape.back(), d_v = t_["values"].shape.back();
    give_numbers("written", "[row ≤ step]", {n_, n_, 1},
                 [](std::size_t step, std::size_t row) { return row <= step; });
    add("kept_keys", "written⊙keys", how::of(Op::multiply, {"written", "keys"}), {n_, n_, d_k});
    add("kept_values", "written⊙values", how::of(Op::multiply, {"written", "values"}), {n_, n_, d_v});
    give_numbers("asks", "step", {n_, 1}, [](std::size_t step, std::size_t) { return step; });
    add("query", "queries[asks]", how::of(Op::gather, {"queries", "asks"}), {n_, 1, d_k});
    add("scores", "query·kept_keysᵀ", how::of(Op::matmul_transposed, {"query", "kept_keys"}), {n_, 1, n_});
    refuse_not_finite(t_, "scores");
    const std::string root = "√" + std::to_string(d_k);
    add("scaled", "scores/√d_k = scores/" + root,
        how::of(Op::divide_by, {"scores"}, std::sqrt(static_cast<double>(d_k)), root), {n_, 1, n_});
    give_numbers("visible", "[row ≤ step]", {n_, 1, n_},
                 [](std::size_t step, std::size_t row) { return row <= step; });
    add("masked", "where(visible, scaled, −∞)", how::of(Op::mask_fill, {"scaled", "visible"}), {n_, 1, n_});
    add("weights", "softmax(masked)", how::of(Op::softmax, {"masked"}), {n_, 1, n_});
    add("step_outputs", "weights·kept_values", how::of(Op::weighted_sum, {"weights", "kept_values"}),
        {n_, 1, d_v});
    give_numbers("order", "0 … n − 1", {n_}, [](std::size_t step, std::size_t) { return step; });
    add("output", "step_outputs[order]", how::of(Op::gather, {"step_outputs", "order"}), {n_, d_v});
    t_.relabel(0, names_);
  }

  Trace t_;
  std::size_t n_ = 0, d_ = 0;
  std::vector<std::string> names_;
};

} // namespace

Trace run_cached(const LessonInput& input) {
  return Decoding(input).finished();
}

} // namespace tfx
