#include "page/layer_formulas.hpp"

#include <numbers>

namespace tfx::page {

// Along each row, so every token by itself: batch and neighbours do not matter.
LayerNorm layer_norm(const mat& X, const rowvec& gamma, const rowvec& beta, Norm rule, double epsilon) {
  LayerNorm n;
  n.mean = arma::mean(X, 1);
  n.centred = X.each_col() - n.mean;
  const vec squares = arma::sum(arma::square(n.centred), 1);
  const double d = static_cast<double>(X.n_cols);
  if (rule == Norm::annotated) {
    n.spread = arma::sqrt(squares / (d - 1));
    n.divisor = n.spread + epsilon; // outside the root
  } else {
    n.spread = squares / d;
    n.divisor = arma::sqrt(n.spread + epsilon); // inside the root
  }
  n.normalized = n.centred.each_col() / n.divisor;
  n.output = n.normalized.each_row() % gamma;
  n.output.each_row() += beta;
  return n;
}

// Number by number. GELU and SiLU let a little of a negative number through, where ReLU's slope is 0.
mat activated(const mat& hidden, Activation activation) {
  switch (activation) {
  case Activation::relu: return arma::clamp(hidden, 0, arma::datum::inf);
  case Activation::squared_relu: return arma::square(arma::clamp(hidden, 0, arma::datum::inf));
  case Activation::gelu: return hidden % (1 + arma::erf(hidden / std::numbers::sqrt2)) / 2;
  case Activation::gelu_tanh: { // GPT-2's: all but the same, without erf
    const mat inside = std::sqrt(2 / std::numbers::pi) * (hidden + 0.044715 * arma::pow(hidden, 3));
    return hidden % (1 + arma::tanh(inside)) / 2;
  }
  case Activation::silu: return hidden / (1 + arma::exp(-hidden));
  }
  return hidden;
}

// The same two products for every token: nothing moves between tokens here.
FeedForward feed_forward(const mat& X, const mat& W_1, const rowvec& b_1, const mat& W_2, const rowvec& b_2,
                         Activation activation) {
  FeedForward f;
  f.hidden = project(X, W_1, b_1);
  f.activated = activated(f.hidden, activation);
  f.output = project(f.activated, W_2, b_2);
  return f;
}

mat residual(const mat& X, const mat& Y) {
  return X + Y;
}

// Divided by what is kept on average, so that the expected value stays. In prediction nothing is dropped.
mat dropout(const mat& weights, const mat& keep, double rate) {
  return weights % keep / (1 - rate);
}

mat multihead_attention(const mat& X, const mat& memory, const Layer& layer, const mat& mask) {
  const Projections& p = layer.attention;
  const auto Q = split_heads(project(X, p.W_Q, p.b_Q), layer.heads);
  const auto K = split_heads(project(memory, p.W_K, p.b_K), layer.heads);
  const auto V = split_heads(project(memory, p.W_V, p.b_V), layer.heads);
  std::vector<mat> heads;
  for (uword i = 0; i < layer.heads; ++i) heads.push_back(attention(Q[i], K[i], V[i], mask).output);
  return project(merge_heads(heads), layer.W_O, layer.b_O);
}

namespace {

mat fed(const mat& X, const Layer& l) {
  return feed_forward(X, l.W_1, l.b_1, l.W_2, l.b_2, l.activation).output;
}
double epsilon_of(const Layer& l) {
  return l.epsilon.value_or(usual_epsilon(l.rule));
}
mat norm_1(const mat& X, const Layer& l) {
  return layer_norm(X, l.gamma_1, l.beta_1, l.rule, epsilon_of(l)).output;
}
mat norm_2(const mat& X, const Layer& l) {
  return layer_norm(X, l.gamma_2, l.beta_2, l.rule, epsilon_of(l)).output;
}

} // namespace

mat encoder_layer_norm_first(const mat& X, const Layer& layer, const mat& mask) {
  const mat normed = norm_1(X, layer);
  const mat Y = residual(X, multihead_attention(normed, normed, layer, mask)); // X itself, not norm(X)
  return residual(Y, fed(norm_2(Y, layer), layer));
}

mat encoder_layer_norm_last(const mat& X, const Layer& layer, const mat& mask) {
  const mat Y = norm_1(residual(X, multihead_attention(X, X, layer, mask)), layer);
  return norm_2(residual(Y, fed(Y, layer)), layer);
}

} // namespace tfx::page
