// What learners write instead of X + f(norm(X)), the layer's two norms and its feed-forward.

#include "core/tensor.hpp"
#include "input/draws.hpp"
#include "page/layer_formulas.hpp"
#include "trace/mistake.hpp"

namespace tfx {

namespace {

using arma::mat;
using arma::rowvec;

bool is(const Trace& t, const Step& right, const std::string& name) {
  return t.lesson == "block" && right.name == name;
}

/// What the run's norms add.
double epsilon_of(const Trace& t, Norm rule) {
  const Step* added = t.find(rule == Norm::annotated ? "divisor_1" : "variance_1_eps");
  return added && added->operation.is(op::add_constant) ? added->operation.constant : usual_epsilon(rule);
}

Tensor normed(const Trace& t, const Tensor& X, const std::string& number, Norm rule) {
  return for_each_matrix(X, [&](const mat& x) {
    return page::layer_norm(x, rowvec(t["gain_" + number].data), rowvec(t["shift_" + number].data), rule,
                            epsilon_of(t, rule))
        .output;
  });
}

// norm(X + f(X)) in a layer that should be X + f(norm(X)).
std::optional<Step> post_for_pre(const Trace& t, const Step& right) {
  if (t.lesson != "block") return {};
  const auto rule = t.has("std_1") ? Norm::annotated : Norm::layer;
  const auto as_it_is = [&](const std::string& name) {
    return computed_instead(t, right, name, op::multiply_by(name).with(1, "1"));
  };
  const auto norm_of_sum = [&](const std::string& A, const std::string& B, const std::string& number) {
    return valued_instead(right, "norm(" + A + " + " + B + ")",
                          normed(t, for_each_matrix(t[A], t[B], page::residual), number, rule));
  };
  if (right.name == "norm_1" && !t.has("residual_1")) return as_it_is("X");
  if (right.name == "residual_1" && t.has("norm_1")) return norm_of_sum("X", "attention", "1");
  if (right.name == "norm_2") return as_it_is("residual_1");
  if (right.name == "output" && t.has("norm_2")) return norm_of_sum("residual_1", "feed_forward", "2");
  return {};
}

// A mistake with ReLU, at that step: what it says of negative numbers does not hold of GELU and SiLU.
bool is_by_relu(const Trace& t, const Step& right, const std::string& name) {
  if (!is(t, right, name)) return false;
  const auto activation = t.facts.find("activation");
  return activation != t.facts.end() && activation->second == Fact(std::string("ReLU"));
}

// max(X, 0)·W_1 + b_1
std::optional<Step> relu_first(const Trace& t, const Step& right) {
  if (is_by_relu(t, right, "hidden")) {
    const std::string& X = right.operation.inputs[0];
    return valued_instead(right, "max(" + X + ", 0)·W_1 + b_1", for_each_matrix(t[X], [&](const mat& x) {
                            return page::project(arma::clamp(x, 0, arma::datum::inf), matrix(t["W_1"]),
                                                 rowvec(t["b_1"].data));
                          }));
  }
  if (is_by_relu(t, right, "activated"))
    return computed_instead(t, right, "hidden", op::multiply_by("hidden").with(1, "1"));
  return {};
}

// max(hidden·W_2 + b_2, 0)
std::optional<Step> relu_last(const Trace& t, const Step& right) {
  if (is_by_relu(t, right, "activated"))
    return computed_instead(t, right, "hidden", op::multiply_by("hidden").with(1, "1"));
  if (!is_by_relu(t, right, "feed_forward")) return {};
  return valued_instead(right, "max(hidden·W_2 + b_2, 0)", for_each_matrix(t["hidden"], [&](const mat& h) {
                          return mat(arma::clamp(page::project(h, matrix(t["W_2"]), rowvec(t["b_2"].data)), 0,
                                                 arma::datum::inf));
                        }));
}

// A model in prediction that was left in training: some weights are gone, and other ones each time.
std::optional<Step> at_prediction(const Trace& t, const Step& right) {
  if (!is(t, right, "heads") || right.operation.inputs[0] != "weights") return {};
  constexpr double rate = 0.1;
  const Tensor &weights = t["weights"], &V = t[right.operation.inputs[1]];
  const std::string formula = "dropout(weights, 0.1)·" + right.operation.inputs[1];
  // In a small run a draw may leave every weight: then it would not show.
  for (std::uint32_t seed = 42; seed < 142; ++seed) {
    const Tensor keep = Draws(seed).keep("keep", rate, weights.shape);
    Tensor value = for_each_matrix(weights, keep, V, [&](const mat& W, const mat& kept, const mat& values) {
      return page::weighted_sum(page::dropout(W, kept, rate), values);
    });
    if (value != right.value) return valued_instead(right, formula, std::move(value));
  }
  return valued_instead(right, formula, right.value);
}

} // namespace

std::vector<Mistake> block_mistakes() {
  return in_own_lesson(
      {Mistake{"norm.over_tokens",
               {{"mean_#", "colmean(A)", "mean(A, axis=0)"},
                {"std_#", "√(colsum((N − colmean(N))²)/(rows − 1))", "std(N, axis=0, ddof=1)"},
                {"variance_#", "colsum((N − colmean(N))²)/rows", "var(N, axis=0, ddof=0)"}}}
           .mended_by("X.mean(-1, keepdims=True)", "X.mean(-1, keepdim=True)", "arma::mean(X, 1)"),
       Mistake{"norm.over_all",
               {{"mean_#", "allmean(A)", "mean(A)"},
                {"std_#", "√(allsum((N − allmean(N))²)/(rows·columns − 1))", "std(N, ddof=1)"},
                {"variance_#", "allsum((N − allmean(N))²)/(rows·columns)", "var(N, ddof=0)"}}}
           .mended_by("X.mean(-1, keepdims=True)", "X.mean(-1, keepdim=True)", "arma::mean(X, 1)"),
       {"norm.no_mean", {{"centred_#", "A"}}},
       Mistake{"norm.population_std", {{"std_#", "std(N, ddof=0)", "std(N)"}}}.mended_by(
           "X.std(-1, ddof=1, keepdims=True)", "X.std(-1, keepdim=True)", "arma::stddev(X, 0, 1)"),
       Mistake{"norm.sample_variance", {{"variance_#", "var(N, ddof=1)"}}}.mended_by(
           "X.var(-1, keepdims=True)", "X.var(-1, unbiased=False, keepdim=True)", "arma::var(X, 1, 1)"),
       {"norm.eps_inside", {{"divisor_#", "√(std_#² + eps)", "√(std_#² + eps)"}}},
       {"norm.eps_outside", {{"divisor_#", "√variance_# + eps", "√variance_# + eps"}}},
       {"norm.no_eps",
        {{"divisor_#", "nan_if_0(std_#)", "std_#"}, {"divisor_#", "nan_if_0(√variance_#)", "√variance_#"}}},
       // The norm of X⊙gamma: a gamma common to all numbers is divided out again.
       {"norm.gain_first",
        {{"gained_#", "normalized_#"},
         {"normalized_# if std_#", "(N⊙gain_# − rowmean(N⊙gain_#))/(std(N⊙gain_#, ddof=1) + eps)",
          "normalized(N⊙gain_#)"},
         {"normalized_#", "(N⊙gain_# − rowmean(N⊙gain_#))/√(var(N⊙gain_#, ddof=0) + eps)",
          "normalized(N⊙gain_#)"}}},
       {"norm.no_gain", {{"gained_#", "normalized_#"}, {"@add of gained_1, @add of gained_2", "A"}}},
       Mistake{"norm.post_for_pre", post_for_pre}.as_a_whole(),
       {"norm.queries_only",
        {{"K@matmul of norm_1, V@matmul of norm_1", "X·B + C"},
         {"K@matmul of norm_1, V@matmul of norm_1", "X·B"}}},
       {"residual.of_norm",
        {{"residual_1 if norm_1", "norm_1 + attention"}, {"output@add if norm_2", "norm_2 + feed_forward"}}},
       {"residual.missing", {{"@add by attention, @add by feed_forward", "B"}}},
       Mistake{"feed_forward.relu_first", relu_first}.as_a_whole(),
       {"feed_forward.no_relu", {{"activated@relu", "hidden"}}},
       Mistake{"feed_forward.relu_last", relu_last}.as_a_whole(),
       {"feed_forward.no_bias", {{"hidden, feed_forward", "A·B"}}},
       {"dropout.at_prediction", at_prediction},
       {"dropout.no_rescale", {{"dropped", "kept"}}},
       {"dropout.rescaled_by_rate", {{"dropped", "kept/(1 − c)", "kept/rate"}}}});
}

} // namespace tfx
