#include "lessons/cache/experiments.hpp"

#include "architecture/presets.hpp"
#include "core/number.hpp"
#include "core/tensor.hpp"
#include "steps/layer_steps.hpp"
#include "trace/checks.hpp"

#include <fmt/format.h>

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

} // namespace

void check_steps(Trace& t, const LessonInput& input) {
  const mat inputs = matrix(inputs_of(t)), output = matrix(t["output"]);
  const page::Projections p = projections_of(input.given);
  const mat causal = page::causal_mask(inputs.n_rows, inputs.n_rows),
            pass = page::cross_attention(inputs, inputs, p, causal).output;
  const double apart = relative_difference(output, pass);
  t.check_at_most("formula", relative_difference(output, step_by_step(inputs, p)), rounding);
  t.check_at_most("as_masked_pass", apart, rounding);
}

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

} // namespace tfx
