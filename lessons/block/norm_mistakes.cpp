#include "lessons/block/norm_mistakes.hpp"

#include "core/tensor.hpp"

#include <cmath>
#include <limits>

namespace tfx {

namespace {

using arma::mat;
using arma::rowvec;

// "1" where `right` is the step `part` of the first norm, "2" of the second, else nothing.
std::optional<std::string> norm_number(const Trace& t, const Step& right, const std::string& part) {
  for (const char* number : {"1", "2"})
    if (t.lesson == "block" && right.name == part + "_" + number) return number;
  return {};
}

// What the norm reads: X and residual_1 where it stands before f, else residual_1 and residual_2.
std::string input_of(const Trace& t, const std::string& number) {
  if (number == "2") return t.has("residual_2") ? "residual_2" : "residual_1";
  return t.has("residual_1") ? "residual_1" : "X";
}

// The mean, or the spread, as `statistic` takes it; over d where the norm is nn.LayerNorm's.
using Statistic = mat (*)(const mat& X, double less);

std::optional<Step> mean_and_spread(const Trace& t, const Step& right, const std::string& text,
                                    Statistic mean, Statistic squares) {
  if (const auto i = norm_number(t, right, "mean")) {
    const std::string X = input_of(t, *i);
    return valued_instead(right, "mean(" + X + text + ")",
                          for_each_matrix(t[X], [&](const mat& x) { return mean(x, 0); }));
  }
  if (const auto i = norm_number(t, right, "std")) {
    const std::string X = input_of(t, *i);
    return valued_instead(right, "std(" + X + text + ", ddof=1)", for_each_matrix(t[X], [&](const mat& x) {
                            return mat(arma::sqrt(squares(x, 1)));
                          }));
  }
  if (const auto i = norm_number(t, right, "variance")) {
    const std::string X = input_of(t, *i);
    return valued_instead(right, "var(" + X + text + ", ddof=0)",
                          for_each_matrix(t[X], [&](const mat& x) { return squares(x, 0); }));
  }
  return {};
}

// NumPy's answer where nothing is left to divide by.
double over(double sum, double count) {
  return count > 0 ? sum / count : std::numeric_limits<double>::quiet_NaN();
}

// axis=0: each number's mean over the tokens.
std::optional<Step> over_tokens(const Trace& t, const Step& right) {
  return mean_and_spread(
      t, right, ", axis=0", [](const mat& X, double) { return mat(arma::mean(X, 0)); },
      [](const mat& X, double less) {
        mat squares = arma::sum(arma::square(X.each_row() - arma::mean(X, 0).eval()), 0);
        squares.transform([&](double s) { return over(s, static_cast<double>(X.n_rows) - less); });
        return squares;
      });
}

// No axis at all: one mean of every number there is.
std::optional<Step> over_all(const Trace& t, const Step& right) {
  return mean_and_spread(
      t, right, "", [](const mat& X, double) { return mat{arma::mean(arma::vectorise(X))}; },
      [](const mat& X, double less) {
        const double mean = arma::mean(arma::vectorise(X));
        return mat{over(arma::accu(arma::square(X - mean)), static_cast<double>(X.n_elem) - less)};
      });
}

// X.std(), which NumPy divides by d.
std::optional<Step> population_std(const Trace& t, const Step& right) {
  const auto i = norm_number(t, right, "std");
  if (!i) return {};
  const std::string X = input_of(t, *i);
  return valued_instead(right, "std(" + X + ")",
                        for_each_matrix(t[X], [](const mat& x) { return mat(arma::stddev(x, 1, 1)); }));
}

// X.var(), which PyTorch divides by d − 1.
std::optional<Step> sample_variance(const Trace& t, const Step& right) {
  const auto i = norm_number(t, right, "variance");
  if (!i || t[input_of(t, *i)].shape.back() < 2) return {};
  const std::string X = input_of(t, *i);
  return valued_instead(right, "var(" + X + ", ddof=1)",
                        for_each_matrix(t[X], [](const mat& x) { return mat(arma::var(x, 0, 1)); }));
}

std::optional<Step> divisor(const Trace& t, const Step& right, const char* spread, const std::string& before,
                            const std::string& after, double (*formula)(double)) {
  const auto i = norm_number(t, right, "divisor");
  if (!i || !t.has(spread + *i)) return {};
  Tensor value = t[spread + *i];
  for (double& cell : value.data) cell = formula(cell);
  return valued_instead(right, before + spread + *i + after, std::move(value));
}

std::optional<Step> eps_inside(const Trace& t, const Step& right) {
  return divisor(t, right, "std_", "√(", "² + 1e-6)", [](double std) { return std::sqrt(std * std + 1e-6); });
}

std::optional<Step> eps_outside(const Trace& t, const Step& right) {
  return divisor(t, right, "variance_", "√", " + 1e-5", [](double v) { return std::sqrt(v) + 1e-5; });
}

// The lesson's division gives 0 where the divisor is 0; a learner's 0/0 is NaN, and so is 0 divided by NaN.
double not_zero(double divisor) {
  return divisor == 0 ? std::numeric_limits<double>::quiet_NaN() : divisor;
}

std::optional<Step> no_eps(const Trace& t, const Step& right) {
  if (t.has("std_1")) return divisor(t, right, "std_", "", "", not_zero);
  return divisor(t, right, "variance_", "√", "", [](double v) { return not_zero(std::sqrt(v)); });
}

std::optional<Step> no_mean(const Trace& t, const Step& right) {
  const auto i = norm_number(t, right, "centred");
  if (!i) return {};
  const std::string X = input_of(t, *i);
  return computed_instead(t, right, X, op::multiply_by(X).with(1, "1"));
}

Step without_gain(const Trace& t, const Step& right, const std::string& number) {
  const std::string normalized = "normalized_" + number;
  return computed_instead(t, right, normalized, op::multiply_by(normalized).with(1, "1"));
}

// The norm of X⊙gamma: a gamma common to all numbers is divided out again.
std::optional<Step> gain_first(const Trace& t, const Step& right) {
  if (const auto i = norm_number(t, right, "gained")) return without_gain(t, right, *i);
  const auto i = norm_number(t, right, "normalized");
  if (!i) return {};
  const std::string X = input_of(t, *i), gamma = "gain_" + *i;
  const auto rule = t.has("std_1") ? page::NormRule::annotated : page::NormRule::standard;
  return valued_instead(right, "normalized(" + X + "⊙" + gamma + ")",
                        for_each_matrix(t[X], [&](const mat& x) {
                          const rowvec ones(x.n_cols, arma::fill::ones), zeros(x.n_cols, arma::fill::zeros);
                          const mat gained = x.each_row() % rowvec(t[gamma].data);
                          return page::layer_norm(gained, ones, zeros, rule).output;
                        }));
}

std::optional<Step> no_gain(const Trace& t, const Step& right) {
  if (const auto i = norm_number(t, right, "gained")) return without_gain(t, right, *i);
  for (const char* number : {"1", "2"}) {
    const std::string gained = std::string("gained_") + number, beta = std::string("shift_") + number;
    if (t.lesson == "block" && right.operation.inputs == std::vector<std::string>{gained, beta})
      return computed_instead(t, right, gained, op::multiply_by(gained).with(1, "1"));
  }
  return {};
}

} // namespace

std::vector<Mistake> norm_mistakes() {
  return {Mistake{"norm.over_tokens", over_tokens}.mended_by("X.mean(-1, keepdims=True)",
                                                             "X.mean(-1, keepdim=True)", "arma::mean(X, 1)"),
          Mistake{"norm.over_all", over_all}.mended_by("X.mean(-1, keepdims=True)",
                                                       "X.mean(-1, keepdim=True)", "arma::mean(X, 1)"),
          {"norm.no_mean", no_mean},
          Mistake{"norm.population_std", population_std}.mended_by(
              "X.std(-1, ddof=1, keepdims=True)", "X.std(-1, keepdim=True)", "arma::stddev(X, 0, 1)"),
          Mistake{"norm.sample_variance", sample_variance}.mended_by(
              "X.var(-1, keepdims=True)", "X.var(-1, unbiased=False, keepdim=True)", "arma::var(X, 1, 1)"),
          {"norm.eps_inside", eps_inside},
          {"norm.eps_outside", eps_outside},
          {"norm.no_eps", no_eps},
          {"norm.gain_first", gain_first},
          {"norm.no_gain", no_gain}};
}

} // namespace tfx
