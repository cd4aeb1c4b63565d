// Lesson sdpa: scaled dot-product attention on batches, n_q ≠ n_k and d_v ≠ d_k. Source: scaled-dot-product;
// Vaswani et al. 2017, 3.2.1.

#include "core/tensor.hpp"
#include "page/formulas.hpp"
#include "steps/attention_steps.hpp"
#include "trace/checks.hpp"

namespace tfx {

namespace {

// The rule: scores take rows from Q and columns from K's rows; the output takes its width from V.
void check_shapes(Trace& t) {
  const Shape &q = t["Q"].shape, &k = t["K"].shape, &v = t["V"].shape, &w = t["weights"].shape,
              &o = t["output"].shape;
  const auto rows = [](const Shape& s) { return s[s.size() - 2]; };
  const bool right = rows(w) == rows(q) && w.back() == rows(k) && rows(o) == rows(q) && o.back() == v.back();
  t.check("shapes", right, static_cast<double>(t["output"].size()));
  t.facts["shape_weights"] = to_page_string(w);
  t.facts["shape_output"] = to_page_string(o);
  if (w.size() > 2) t.facts["batch"] = static_cast<double>(w.front());
}

// Keys and values in another order, together: the same output.
void check_key_order(Trace& t, const std::string& mask) {
  if (!mask.empty()) return;
  const Tensor reordered =
      for_each_matrix(t["Q"], t["K"], t["V"], [](const arma::mat& Q, const arma::mat& K, const arma::mat& V) {
        return page::attention(Q, arma::reverse(K), arma::reverse(V)).output;
      });
  t.check_at_most("key_order", relative_difference(reordered, t["output"]), rounding);
}

// Batches never meet: the first one alone gives the same numbers.
void check_batches(Trace& t) {
  if (t["output"].rank() < 3 || t.has("masked")) return;
  const page::Attention alone = page::attention(matrix(t["Q"]), matrix(t["K"]), matrix(t["V"]));
  t.check_at_most("batches_apart", relative_difference(alone.output, matrix(t["output"])), rounding);
}

} // namespace

Trace run_sdpa(const LessonInput& input) {
  Trace t = begin_trace("sdpa", input, "output");
  for (const char* name : {"Q", "K", "V"}) add_projection(t, input, name, Role::recap);
  add_scores(t, "Q", "K", Role::result);
  add_scaled(t, "K", Role::result);
  const std::string of = add_masked(t, input, Role::result);
  add_weights(t, of, Role::result, masked_row_value(input.masked_row));
  add_output(t, "output", "weights", "V", Role::result);

  check_shapes(t);
  check_rows_sum_to_one(t, "weights");
  check_key_order(t, t.has("mask") ? "mask" : "");
  check_batches(t);
  return t;
}

} // namespace tfx
