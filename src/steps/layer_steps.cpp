#include "steps/layer_steps.hpp"

#include "core/error.hpp"
#include "trace/checks.hpp"

#include <fmt/format.h>

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
  layer.rule = input.norm, layer.activation = input.activation, layer.epsilon = input.epsilon;
  return layer;
}

arma::mat first_mask(const Trace& t, arma::uword n_q, arma::uword n_k) {
  return t.has("mask") ? matrix(t["mask"]) : arma::mat(n_q, n_k, arma::fill::ones);
}

double count_different(const arma::mat& a, const arma::mat& b) {
  const arma::mat limit = rounding * arma::clamp(arma::abs(b), 1, arma::datum::inf);
  return static_cast<double>(arma::accu(arma::abs(a - b) > limit));
}

namespace {

// "1e-6".
std::string epsilon_text(double epsilon) {
  std::string text = fmt::format("{}", epsilon);
  if (const std::size_t exponent = text.find("e-0"); exponent != std::string::npos)
    text.erase(exponent + 2, 1);
  return text;
}

/// `normalized`, and what there is of gain and shift; the last of them is the output.
void add_gain_and_shift(Trace& t, const NormStep& norm, Operation normalized, const StepNames& name,
                        Role role) {
  const bool gains = !norm.gamma.empty(), shifts = !norm.beta.empty();
  std::string last = gains || shifts ? name("normalized") : norm.output;
  t.add(last, std::move(normalized), role);
  if (gains) {
    const std::string gained = shifts ? name("gained") : norm.output;
    t.add(gained, op::multiply(last, norm.gamma), role);
    last = gained;
  }
  if (shifts) t.add(norm.output, op::add(last, norm.beta), role);
}

} // namespace

void add_layer_norm(Trace& t, const NormStep& norm, const StepNames& name, Role role) {
  const bool annotated = norm.rule == Norm::annotated;
  const Tensor& X = t[norm.X];
  if (annotated && X.shape.back() < 2)
    throw usage(
        said("{name} has one column: a single number has no sample standard deviation", {{"name", norm.X}}),
        said("--norm standard divides by d, not by d − 1"));
  const double epsilon = norm.epsilon.value_or(usual_epsilon(norm.rule));
  const std::string text = epsilon_text(epsilon), divisor = name("divisor");
  const auto plus_epsilon = [&](const std::string& to) { return op::add_constant(to).with(epsilon, text); };
  const auto add_root = [&](const std::string& of) {
    const std::string shifted = of + "_eps";
    t.add(shifted, plus_epsilon(of), role);
    t.add(divisor, op::sqrt(shifted), role);
  };
  if (norm.rule == Norm::rms) {
    const std::string squares = name("squares"), mean_square = name("mean_square");
    t.add(squares, op::multiply(norm.X, norm.X), role);
    t.add(mean_square, op::row_mean(squares), role);
    add_root(mean_square);
    return add_gain_and_shift(t, norm, op::divide(norm.X, divisor), name, role);
  }
  const std::string mean = name("mean"), centred = name("centred");
  t.add(mean, op::row_mean(norm.X), role);
  t.add(centred, op::subtract(norm.X, mean), role);
  const std::string spread = name(annotated ? "std" : "variance");
  t.add(spread, annotated ? op::row_std(norm.X) : op::row_variance(norm.X), role);
  if (annotated)
    t.add(divisor, plus_epsilon(spread), role);
  else
    add_root(spread);
  add_gain_and_shift(t, norm, op::divide(centred, divisor), name, role);
}

const Op& operation_of(Activation activation) {
  switch (activation) {
  case Activation::relu: return op::relu;
  case Activation::squared_relu: return op::squared_relu;
  case Activation::gelu: return op::gelu;
  case Activation::gelu_tanh: return op::gelu_tanh;
  case Activation::silu: return op::silu;
  }
  return op::relu; // coverage: there is no other activation
}

void add_feed_forward(Trace& t, const FeedForwardStep& f, const StepNames& name, Role role) {
  const std::string hidden = name("hidden"), activated = name("activated");
  const auto product = [&](const std::string& X, const std::string& W, const std::string& b) {
    return b.empty() ? f.product(X, W) : f.product(X, W, b);
  };
  t.add(hidden, product(f.X, f.W_1, f.b_1), role);
  t.add(activated, operation_of(f.activation)(hidden), role);
  std::string inside = activated;
  if (!f.W_3.empty()) {
    const std::string factor = name("factor");
    t.add(factor, product(f.X, f.W_3, f.b_3), role);
    t.add(inside = name("gated"), op::multiply(activated, factor), role);
  }
  if (!f.keep.empty()) add_dropout(t, inside, f.keep, f.dropout, role, "_hidden"), inside = "dropped_hidden";
  t.add(f.output, product(inside, f.W_2, f.b_2), role);
}

void add_residual(Trace& t, const std::string& output, const std::string& X, const std::string& Y,
                  Role role) {
  t.add(output, op::add(X, Y), role);
}

void add_dropout(Trace& t, const std::string& of, const std::string& keep, double rate, Role role,
                 const std::string& suffix) {
  t.add("kept" + suffix, op::multiply(of, keep), role);
  t.add("dropped" + suffix, op::divide_by("kept" + suffix).with(1 - rate, fmt::format("(1 − {})", rate)),
        role);
}

} // namespace tfx
