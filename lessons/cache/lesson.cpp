// Decoding with a cache, on the page: step t reads token t, keeps its key and value, and asks with its query
// alone. Row t of the output is row t of one masked pass. Source: Shazeer 2019, "Fast Transformer
// Decoding", section 2.

#include "architecture/presets.hpp"
#include "core/memory.hpp"
#include "core/number.hpp"
#include "core/tensor.hpp"
#include "input/lesson_input.hpp"
#include "steps/attention_steps.hpp"
#include "steps/layer_steps.hpp"
#include "trace/checks.hpp"
#include "trace/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tfx {

namespace {

// Words and where they stand; a model's vectors know that already.
const Tensor& inputs_of(const Trace& t) {
  return t[t.has("inputs") ? "inputs" : "X"];
}

using arma::mat;
using arma::uword;

// Row by row, each with what those before it have left.
mat step_by_step(const mat& inputs, const page::Projections& p) {
  page::Cache cache;
  mat output(inputs.n_rows, p.W_V.n_cols);
  for (uword t = 0; t < inputs.n_rows; ++t) output.row(t) = page::cached_step(inputs.row(t), p, cache);
  return output;
}

// Checks: the recorded steps are the page's formula, and rows of one masked pass over all tokens.
void check_steps(Trace& t, const LessonInput& input) {
  const mat inputs = matrix(inputs_of(t)), output = matrix(t["output"]);
  const page::Projections p = projections_of(input.given);
  const mat causal = page::causal_mask(inputs.n_rows, inputs.n_rows),
            pass = page::cross_attention(inputs, inputs, p, causal).output;
  const double apart = relative_difference(output, pass);
  t.check_at_most("formula", relative_difference(output, step_by_step(inputs, p)), rounding);
  t.check_at_most("as_masked_pass", apart, rounding);
}

// A row a step: what is kept, and multiply-adds with it and without.
void count_steps(Trace& t) {
  const double d = static_cast<double>(t["W_Q"].shape[0]), d_k = static_cast<double>(t["W_K"].shape[1]),
               d_v = static_cast<double>(t["W_V"].shape[1]);
  const std::size_t n = inputs_of(t).shape[0];
  const double projections = d * (2 * d_k + d_v), each = d_k + d_v; // of a token; of a key beside a query
  Experiment table{"step_costs", {"rows_kept", "numbers_kept", "macs_cached", "macs_recomputed"}, {}, {}};
  mat rows(n, 4);
  for (std::size_t step = 0; step < n; ++step) {
    const auto m = static_cast<double>(step + 1);
    table.rows.push_back(t.find("output")->labels[0][step]);
    rows.row(step) = {m, m * each, projections + m * each, m * projections + m * m * each};
  }
  const double cached = arma::accu(rows.col(2)), recomputed = arma::accu(rows.col(3));
  const auto whole = [](double number) { return with_separators(static_cast<std::size_t>(number)); };
  t.facts["step_tokens"] = std::to_string(n), t.facts["kept_numbers"] = whole(rows(n - 1, 1));
  t.facts["kept_bytes"] = whole(8 * rows(n - 1, 1));
  t.facts["key_width"] = whole(d_k), t.facts["value_width"] = whole(d_v);
  t.facts["all_cached"] = whole(cached), t.facts["all_recomputed"] = whole(recomputed);
  t.facts["times_as_many"] = fmt::format("{:.1f}", recomputed / cached);
  table.values = to_tensor(rows);
  t.experiments.push_back(std::move(table));
}

// A row a step: with a cache what is read again is light, what is computed full; without, all is computed.
void draw_steps(Trace& t) {
  constexpr std::size_t most = 7;
  const Step& output = t.step_named("output");
  const std::size_t n = output.value.shape[0];
  const Tensor& costs = t.experiments.front().values;
  BarPicture picture{{"with_cache", "without_cache"}, {}};
  const auto macs = [&](std::size_t step, std::size_t column) {
    return with_separators(static_cast<std::size_t>(costs.data[4 * step + column]));
  };
  for (std::size_t step = 0; step < n; ++step) {
    if (step + 1 < n && step + 1 >= most) continue; // of a long text the first steps and the last
    const double each = 1 / static_cast<double>(n), read = each * static_cast<double>(step);
    picture.rows.push_back(
        {output.labels[0][step],
         {{{{read, true}, {each, false}}, macs(step, 2)}, {{{read + each, false}}, macs(step, 3)}}});
  }
  t.idea = std::move(picture);
}

// A row a model: layers, width, tokens, and the bytes of all their keys and values.
void compare_sizes(Trace& t) {
  constexpr double bytes_a_number = 2, mega = 1e6; // float16
  Experiment table{"cache_sizes", {"layers", "heads", "head_width", "context", "megabytes"}, {}, {}};
  mat rows;
  for (const char* name : {"gpt2", "gpt2-xl", "llama-7b"}) {
    const params::ModelShape& shape = params::find_preset(name)->shape;
    const auto layers = static_cast<double>(shape.layers), heads = static_cast<double>(shape.heads),
               d_k = static_cast<double>(shape.d_model) / heads, n = static_cast<double>(shape.context);
    rows =
        arma::join_cols(rows, arma::rowvec{layers, heads, d_k, n,
                                           std::round(2 * layers * heads * d_k * n * bytes_a_number / mega)});
    table.rows.emplace_back(name);
  }
  table.values = to_tensor(rows);
  t.experiments.push_back(std::move(table));
}

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
  draw_steps(t);
  compare_sizes(t);
  return t;
}

} // namespace tfx
