#include "course/calculator.hpp"

#include <charconv>
#include <cmath>
#include <numbers>

namespace tfx {

namespace {

using Result = std::optional<double>;

struct Function {
  std::string_view name;
  double (*value)(double);
};

constexpr Function functions[] = {
    {"sqrt", [](double x) { return std::sqrt(x); }}, {"√", [](double x) { return std::sqrt(x); }},
    {"exp", [](double x) { return std::exp(x); }},   {"ln", [](double x) { return std::log(x); }},
    {"log", [](double x) { return std::log(x); }},   {"abs", [](double x) { return std::abs(x); }},
};

// sum = product {± product}, product = power {· power}, power = factor [^ power].
class Calculator {
public:
  explicit Calculator(std::string_view text) : text_(text) {}

  Result value() {
    const Result result = sum();
    return result && text_.empty() && std::isfinite(*result) ? result : std::nullopt;
  }

private:
  bool take(std::string_view front) {
    if (!text_.starts_with(front)) return false;
    text_.remove_prefix(front.size());
    return true;
  }

  Result sum() {
    Result left = product();
    while (left) {
      const bool plus = take("+");
      if (!plus && !take("-")) break;
      const Result right = product();
      if (!right) return {};
      *left += plus ? *right : -*right;
    }
    return left;
  }

  Result product() {
    Result left = power();
    while (left && !text_.starts_with("**")) {
      const bool times = take("*") || take("x") || take("·");
      if (!times && !take("/")) break;
      const Result right = power();
      if (!right) return {};
      *left = times ? *left * *right : *left / *right;
    }
    return left;
  }

  // −2² is −4, 2^−1 a half.
  Result power() {
    if (++depth_ > deepest) return {};
    Result result;
    if (take("-")) {
      result = power();
      if (result) *result = -*result;
    } else {
      take("+");
      result = factor();
      if (result && (take("^") || take("**"))) {
        const Result exponent = power();
        result = exponent ? Result(std::pow(*result, *exponent)) : Result();
      }
    }
    --depth_;
    return result;
  }

  Result factor() {
    for (const Function& function : functions)
      if (take(function.name)) {
        const Result argument = text_.starts_with("(") || function.name == "√" ? factor() : Result();
        return argument ? Result(function.value(*argument)) : argument;
      }
    if (take("(")) {
      if (++depth_ > deepest) return {};
      const Result inside = sum();
      --depth_;
      return take(")") ? inside : std::nullopt;
    }
    if (take("π") || take("pi")) return std::numbers::pi;
    if (take("e")) return std::numbers::e;
    return number();
  }

  Result number() {
    double value = 0;
    const bool digit = !text_.empty() && (text_[0] == '.' || (text_[0] >= '0' && text_[0] <= '9'));
    if (!digit || text_.starts_with("0x")) return {}; // a hexadecimal number is no product
    const auto [stop, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc()) return {};
    text_.remove_prefix(static_cast<std::size_t>(stop - text_.data()));
    return value;
  }

  static constexpr int deepest = 100;
  std::string_view text_;
  int depth_ = 0;
};

} // namespace

std::optional<double> calculated(std::string_view text) {
  return Calculator(text).value();
}

} // namespace tfx
