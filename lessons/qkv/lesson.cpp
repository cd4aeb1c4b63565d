// Lesson qkv: three projections of one input. Source: fun-transformer, part 2; Vaswani et al. 2017, 3.2.2.

#include "core/tensor.hpp"
#include "page/formulas.hpp"
#include "steps/attention_steps.hpp"
#include "trace/checks.hpp"

namespace tfx {

namespace {

// [Q K V] = X·[W_Q W_K W_V]: one wide product does the work of three.
void check_one_product(Trace& t) {
  if (!t.has("X")) return;
  const auto join = [](const arma::mat& a, const arma::mat& b, const arma::mat& c) {
    return arma::mat(arma::join_rows(a, b, c));
  };
  const Tensor W = for_each_matrix(t["W_Q"], t["W_K"], t["W_V"], join);
  const Tensor separate = for_each_matrix(t["Q"], t["K"], t["V"], join);
  const Tensor wide = for_each_matrix(t["X"], W, [&](const arma::mat& x, const arma::mat& w) {
    if (!t.has("b_Q") || !t.has("b_K") || !t.has("b_V")) return page::project(x, w);
    const arma::rowvec b = arma::join_rows(arma::rowvec(t["b_Q"].data), arma::rowvec(t["b_K"].data),
                                           arma::rowvec(t["b_V"].data));
    return page::project(x, w, b);
  });
  if (t.has("b_Q") == t.has("b_K") && t.has("b_K") == t.has("b_V"))
    t.check_at_most("one_wide_product", relative_difference(wide, separate), rounding);
}

} // namespace

Trace run_qkv(const LessonInput& input) {
  Trace t = begin_trace("qkv", input, "Q");
  for (const char* name : {"Q", "K", "V"}) add_projection(t, input, name, Role::result);
  t.objective = {"Q", "K", "V"};

  check_one_product(t);
  if (t.has("X") && !t.has("b_Q")) check_row_sum(t, "X", "Q", "projection_is_linear");
  if (t["K"].shape == t["V"].shape) {
    const Tensor &K = t["K"], &V = t["V"];
    std::size_t differ = 0;
    for (std::size_t i = 0; i < K.size(); ++i) differ += K.data[i] != V.data[i];
    t.facts["k_v_differ"] = static_cast<double>(differ);
    t.facts["k_v_cells"] = static_cast<double>(K.size());
  }
  return t;
}

} // namespace tfx
