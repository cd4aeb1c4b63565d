#include "steps/layer_values.hpp"

#include "trace/checks.hpp"

namespace tfx {

namespace {

arma::rowvec bias(const Trace& t, const std::string& name, const arma::mat& W) {
  return t.has(name) ? arma::rowvec(t[name].data) : arma::rowvec(W.n_cols, arma::fill::zeros);
}

} // namespace

page::Projections projections_of(const Trace& t) {
  page::Projections p;
  p.W_Q = matrix(t["W_Q"]), p.W_K = matrix(t["W_K"]), p.W_V = matrix(t["W_V"]);
  p.b_Q = bias(t, "b_Q", p.W_Q), p.b_K = bias(t, "b_K", p.W_K), p.b_V = bias(t, "b_V", p.W_V);
  return p;
}

page::Layer layer_of(const Trace& t, const LessonInput& input) {
  page::Layer layer;
  layer.attention = projections_of(t);
  layer.W_O = matrix(t["W_O"]), layer.W_1 = matrix(t["W_1"]), layer.W_2 = matrix(t["W_2"]);
  layer.b_O = bias(t, "b_O", layer.W_O);
  layer.b_1 = arma::rowvec(t["b_1"].data), layer.b_2 = arma::rowvec(t["b_2"].data);
  layer.gamma_1 = arma::rowvec(t["gain_1"].data), layer.beta_1 = arma::rowvec(t["shift_1"].data);
  layer.gamma_2 = arma::rowvec(t["gain_2"].data), layer.beta_2 = arma::rowvec(t["shift_2"].data);
  layer.heads = input.heads;
  layer.rule = input.norm, layer.activation = input.activation;
  return layer;
}

arma::mat first_mask(const Trace& t, arma::uword n_q, arma::uword n_k) {
  return t.has("mask") ? matrix(t["mask"]) : arma::mat(n_q, n_k, arma::fill::ones);
}

double count_different(const arma::mat& a, const arma::mat& b) {
  const arma::mat limit = rounding * arma::clamp(arma::abs(b), 1, arma::datum::inf);
  return static_cast<double>(arma::accu(arma::abs(a - b) > limit));
}

} // namespace tfx
