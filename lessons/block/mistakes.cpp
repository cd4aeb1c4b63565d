// What learners write instead of X + f(norm(X)), the layer's two norms and its feed-forward.

#include "lessons/block/norm_mistakes.hpp"

#include "core/tensor.hpp"
#include "input/draws.hpp"

namespace tfx {

namespace {

using arma::mat;
using arma::rowvec;

bool is(const Trace& t, const Step& right, const std::string& name) {
  return t.lesson == "block" && right.name == name;
}

std::optional<Step> sum_of(const Trace& t, const Step& right, const std::string& A, const std::string& B) {
  return computed_instead(t, right, A + " + " + B, op::add(A, B));
}

// norm(X) + f(norm(X)): what was there before is lost.
std::optional<Step> residual_of_norm(const Trace& t, const Step& right) {
  if (is(t, right, "residual_1") && t.has("norm_1")) return sum_of(t, right, "norm_1", "attention");
  if (is(t, right, "output") && t.has("norm_2") && right.operation.is(op::add))
    return sum_of(t, right, "norm_2", "feed_forward");
  return {};
}

std::optional<Step> residual_missing(const Trace& t, const Step& right) {
  if (t.lesson != "block" || !right.operation.is(op::add) || right.operation.inputs.size() != 2) return {};
  const std::string& f = right.operation.inputs[1];
  if (f != "attention" && f != "feed_forward") return {};
  return computed_instead(t, right, f, op::multiply_by(f).with(1, "1"));
}

Tensor normed(const Trace& t, const Tensor& X, const std::string& number, page::NormRule rule) {
  return for_each_matrix(X, [&](const mat& x) {
    return page::layer_norm(x, rowvec(t["gain_" + number].data), rowvec(t["shift_" + number].data), rule)
        .output;
  });
}

// norm(X + f(X)) in a layer that should be X + f(norm(X)).
std::optional<Step> post_for_pre(const Trace& t, const Step& right) {
  if (t.lesson != "block") return {};
  const auto rule = t.has("std_1") ? page::NormRule::annotated : page::NormRule::standard;
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

// Keys and values of words that no norm has seen.
std::optional<Step> queries_only(const Trace& t, const Step& right) {
  if (!(is(t, right, "K") || is(t, right, "V")) || !right.operation.is(op::matmul) ||
      right.operation.inputs[0] != "norm_1")
    return {};
  Operation from_X = right.operation;
  from_X.inputs[0] = "X";
  return computed_instead(t, right, "X" + right.formula.substr(right.operation.inputs[0].size()), from_X);
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

std::optional<Step> no_relu(const Trace& t, const Step& right) {
  if (!is_by_relu(t, right, "activated")) return {};
  return computed_instead(t, right, "hidden", op::multiply_by("hidden").with(1, "1"));
}

// max(hidden·W_2 + b_2, 0)
std::optional<Step> relu_last(const Trace& t, const Step& right) {
  if (is(t, right, "activated")) return no_relu(t, right);
  if (!is_by_relu(t, right, "feed_forward")) return {};
  return valued_instead(right, "max(hidden·W_2 + b_2, 0)", for_each_matrix(t["hidden"], [&](const mat& h) {
                          return mat(arma::clamp(page::project(h, matrix(t["W_2"]), rowvec(t["b_2"].data)), 0,
                                                 arma::datum::inf));
                        }));
}

std::optional<Step> no_bias(const Trace& t, const Step& right) {
  if (!is(t, right, "hidden") && !is(t, right, "feed_forward")) return {};
  const auto& inputs = right.operation.inputs;
  return computed_instead(t, right, inputs[0] + "·" + inputs[1], op::matmul(inputs[0], inputs[1]));
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

std::optional<Step> no_rescale(const Trace& t, const Step& right) {
  if (!is(t, right, "dropped")) return {};
  return computed_instead(t, right, "kept", op::divide_by("kept").with(1, "1"));
}

// The share that is dropped taken for the one that is kept.
std::optional<Step> rescaled_by_rate(const Trace& t, const Step& right) {
  if (!is(t, right, "dropped")) return {};
  const double rate = 1 - right.operation.constant;
  return computed_instead(t, right, "kept/rate", op::divide_by("kept").with(rate, "rate"));
}

} // namespace

std::vector<Mistake> block_mistakes() {
  std::vector<Mistake> all = norm_mistakes();
  all.insert(all.end(), {{"norm.post_for_pre", post_for_pre, true},
                         {"norm.queries_only", queries_only},
                         {"residual.of_norm", residual_of_norm},
                         {"residual.missing", residual_missing},
                         {"feed_forward.relu_first", relu_first, true},
                         {"feed_forward.no_relu", no_relu},
                         {"feed_forward.relu_last", relu_last, true},
                         {"feed_forward.no_bias", no_bias},
                         {"dropout.at_prediction", at_prediction},
                         {"dropout.no_rescale", no_rescale},
                         {"dropout.rescaled_by_rate", rescaled_by_rate}});
  return all;
}

} // namespace tfx
