#include "steps/layer_steps.hpp"

#include "core/broadcast.hpp"
#include "core/error.hpp"

#include <fmt/format.h>

namespace tfx {

namespace {

using arma::mat;
using arma::rowvec;

rowvec row(const Trace& t, const std::string& name) {
  return rowvec(t[name].data);
}

// One part of the page's LayerNorm; gain and shift act last, so that the parts before do not need them.
Tensor norm_part(const Tensor& X, page::NormRule rule,
                 const std::function<mat(const page::LayerNorm&)>& part) {
  return for_each_matrix(X, [&](const mat& x) {
    return part(
        page::layer_norm(x, rowvec(x.n_cols, arma::fill::ones), rowvec(x.n_cols, arma::fill::zeros), rule));
  });
}

} // namespace

void add_layer_norm(Trace& t, const NormStep& norm, const StepNames& name, Role role) {
  using page::LayerNorm;
  const bool annotated = norm.rule == page::NormRule::annotated;
  const Tensor& X = t[norm.X];
  if (annotated && X.shape.back() < 2)
    throw Error(ErrorKind::usage,
                norm.X + " has one column: a single number has no sample standard deviation",
                "--norm standard divides by d, not by d − 1");
  const std::string mean = name("mean"), centred = name("centred"), divisor = name("divisor"),
                    spread = name(annotated ? "std" : "variance"), normalized = name("normalized"),
                    gained = name("gained");
  const auto part = [&](const std::string& step, const std::string& formula, How how, auto member) {
    t.add(step, formula, std::move(how), role, [&, member] {
      return norm_part(X, norm.rule, [member](const LayerNorm& n) { return mat(n.*member); });
    });
  };
  part(mean, "mean(" + norm.X + ")", how::of(Op::row_mean, {norm.X}), &LayerNorm::mean);
  part(centred, norm.X + " − " + mean, how::of(Op::subtract, {norm.X, mean}), &LayerNorm::centred);
  if (annotated) {
    part(spread, "std(" + norm.X + ", ddof=1)", how::of(Op::row_std, {norm.X}), &LayerNorm::spread);
    part(divisor, spread + " + 1e-6", how::of(Op::add_constant, {spread}, 1e-6, "1e-6"), &LayerNorm::divisor);
  } else {
    const std::string shifted = name("variance_eps");
    part(spread, "var(" + norm.X + ", ddof=0)", how::of(Op::row_variance, {norm.X}), &LayerNorm::spread);
    t.add(shifted, spread + " + 1e-5", how::of(Op::add_constant, {spread}, 1e-5, "1e-5"), role,
          [&] { return norm_part(X, norm.rule, [](const LayerNorm& n) { return mat(n.spread + 1e-5); }); });
    part(divisor, "√" + shifted, how::of(Op::sqrt, {shifted}), &LayerNorm::divisor);
  }
  part(normalized, centred + "/" + divisor, how::of(Op::normalize, {centred, divisor}),
       &LayerNorm::normalized);
  t.add(gained, normalized + "⊙" + norm.gain, how::of(Op::multiply, {normalized, norm.gain}), role, [&] {
    return for_each_matrix(X, [&](const mat& x) {
      return page::layer_norm(x, row(t, norm.gain), rowvec(x.n_cols, arma::fill::zeros), norm.rule).output;
    });
  });
  t.add(norm.output, gained + " + " + norm.shift, how::of(Op::add, {gained, norm.shift}), role, [&] {
    return for_each_matrix(X, [&](const mat& x) {
      return page::layer_norm(x, row(t, norm.gain), row(t, norm.shift), norm.rule).output;
    });
  });
}

void add_feed_forward(Trace& t, const FeedForwardStep& f, const StepNames& name, Role role) {
  using page::FeedForward;
  const Tensor& X = t[f.X];
  const std::string hidden = name("hidden"), activated = name("activated");
  const auto part = [&](const std::string& step, const std::string& formula, How how, auto member) {
    t.add(step, formula, std::move(how), role, [&, member] {
      return for_each_matrix(X, [&](const mat& x) {
        return page::feed_forward(x, matrix(t[f.W_1]), row(t, f.b_1), matrix(t[f.W_2]), row(t, f.b_2)).*
               member;
      });
    });
  };
  part(hidden, f.X + "·" + f.W_1 + " + " + f.b_1, how::of(Op::matmul, {f.X, f.W_1, f.b_1}),
       &FeedForward::hidden);
  part(activated, "max(" + hidden + ", 0)", how::of(Op::relu, {hidden}), &FeedForward::activated);
  part(f.output, activated + "·" + f.W_2 + " + " + f.b_2, how::of(Op::matmul, {activated, f.W_2, f.b_2}),
       &FeedForward::output);
}

void add_residual(Trace& t, const std::string& output, const std::string& X, const std::string& Y,
                  Role role) {
  t.add(output, X + " + " + Y, how::of(Op::add, {X, Y}), role,
        [&] { return for_each_matrix(t[X], t[Y], page::residual); });
}

void add_dropout(Trace& t, const std::string& weights, const std::string& keep, double rate, Role role) {
  t.add("kept", weights + "⊙" + keep, how::of(Op::multiply, {weights, keep}), role, [&] {
    return for_each_matrix(t[weights], t[keep],
                           [](const mat& W, const mat& k) { return page::dropout(W, k, 0); });
  });
  const std::string rest = fmt::format("(1 − {})", rate);
  t.add("dropped", "kept/" + rest, how::of(Op::divide_by, {"kept"}, 1 - rate, rest), role, [&] {
    return for_each_matrix(t[weights], t[keep],
                           [&](const mat& W, const mat& k) { return page::dropout(W, k, rate); });
  });
}

} // namespace tfx
