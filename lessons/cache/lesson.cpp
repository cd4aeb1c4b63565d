// Decoding with a cache, on the page: step t reads token t, keeps its key and value, and asks with its query
// alone. Row t of the output is row t of one masked pass. Source: lesson 16; Shazeer 2019, "Fast Transformer
// Decoding", section 2.

#include "core/memory.hpp"
#include "input/lesson_input.hpp"
#include "lessons/cache/experiments.hpp"
#include "steps/attention_steps.hpp"
#include "trace/trace.hpp"

#include <algorithm>

namespace tfx {

namespace {

class Decoding {
public:
  explicit Decoding(const LessonInput& input) : t_(begin_trace("cache", input, "output")) {
    const std::string X = input.has("X") ? "X" : "X_Q";
    require_room(input, X);
    n_ = input.given[X].shape[input.given[X].rank() - 2], d_ = input.given[X].shape.back();
    names_ = input.given.step_named(X).labels[input.given[X].rank() - 2];
    if (names_.empty()) names_ = numbered("x", n_);
    if (input.positioned) {
      give(t_, input, X);
      read_ = X;
    } else {
      give_tokens(*input.given.find(X));
      add_positions();
    }
    for (const std::string letter : {"K", "V", "Q"}) project(input, letter);
    add_steps();
  }

  Trace finished() { return std::move(t_); }

private:
  void add(const std::string& name, Operation operation) { t_.add(name, std::move(operation), Role::result); }

  // Of every step the keys and values that it has kept, and some fifteen tables of n × n beside: measured.
  static void require_room(const LessonInput& input, const std::string& X) {
    const auto size = [&](const std::string& name, std::size_t from_end) {
      const Shape& shape = input.given[name].shape;
      return static_cast<double>(shape[shape.size() - from_end]);
    };
    const double n = size(X, 2), widths = size("W_K", 1) + size("W_V", 1);
    require_memory(sizeof(double) * n * n * (widths + 15), said("what every step has kept"));
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

  // One sentence: the first of a batch.
  void give_tokens(const Step& X) {
    t_.add_input("X", X.formula, to_tensor(matrix(X.value)), {names_, {}});
    if (X.value.rank() > 2 && !t_.numpy.empty()) t_.numpy.push_back("X = " + X.name + "[0]");
  }

  void add_positions() {
    give_numbers("positions", "0 … n − 1", {n_}, [](std::size_t step, std::size_t) { return step; });
    add("angles", op::angle("positions").with(static_cast<double>(d_), std::to_string(d_)));
    add("position_vectors", op::sin_cos("angles"));
    add("inputs", op::add("X", "position_vectors"));
    t_.facts["inputs"] = std::string("inputs");
  }

  // Row t is computed in step t, and never again.
  void project(const LessonInput& input, const std::string& letter) {
    const std::string name = letter == "Q"   ? "queries"
                             : letter == "K" ? "keys"
                                             : "values",
                      W = "W_" + letter, b = "b_" + letter;
    give(t_, input, W), give(t_, input, b);
    add(name, t_.has(b) ? op::matmul(read_, W, b) : op::matmul(read_, W));
  }

  void add_steps() {
    give_numbers("written", "[row ≤ step]", {n_, n_, 1},
                 [](std::size_t step, std::size_t row) { return row <= step; });
    add("kept_keys", op::multiply("written", "keys"));
    add("kept_values", op::multiply("written", "values"));
    give_numbers("asks", "step", {n_, 1}, [](std::size_t step, std::size_t) { return step; });
    add("query", op::gather("queries", "asks"));
    add_scores(t_, "query", "kept_keys", Role::result);
    refuse_not_finite(t_, "scores");
    add_scaled(t_, "kept_keys", Role::result);
    give_numbers("visible", "[row ≤ step]", {n_, 1, n_},
                 [](std::size_t step, std::size_t row) { return row <= step; });
    add_mask_fill(t_, "visible", Role::result);
    add_weights(t_, "masked", Role::result);
    add_output(t_, "step_outputs", "weights", "kept_values", Role::result);
    give_numbers("order", "0 … n − 1", {n_}, [](std::size_t step, std::size_t) { return step; });
    add("step_weights", op::gather("weights", "order"));
    t_.relabel(0, names_);
    add("output", op::gather("step_outputs", "order"));
    t_.relabel(0, names_);
  }

  Trace t_;
  std::size_t n_ = 0, d_ = 0;
  std::vector<std::string> names_;
  std::string read_ = "inputs"; ///< what a step reads a row of
};

} // namespace

Trace run_cache(const LessonInput& input) {
  Trace t = Decoding(input).finished();
  const Shape& output = t["output"].shape; // the first step sees itself alone
  t.spotlight = {t.main, {std::min<std::size_t>(1, output[0] - 1), std::min<std::size_t>(2, output[1] - 1)}};
  check_steps(t, input);
  count_steps(t);
  compare_sizes(t);
  return t;
}

} // namespace tfx
