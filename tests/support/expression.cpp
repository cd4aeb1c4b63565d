#include "support/expression.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <string_view>

namespace tfx {

namespace {

// sum     = product { (" + " | " - ") product }
// product = signed { ("·" | "/") signed }
// signed  = ("-" | "−") signed | power
// power   = atom [ "^" signed ]
// atom    = number | "inf" | "∞" | "nan" | name "(" sum { "," sum } ")" | "(" sum ")" | "…" count "(" sum ")"
class Calculator {
public:
  explicit Calculator(const std::string& text) : text_(text) {}

  double whole() {
    const double value = sum();
    skip_blanks();
    if (at_ != text_.size()) fail("an operator");
    return value;
  }

private:
  [[noreturn]] void fail(const std::string& expected) const {
    throw std::invalid_argument("\"" + text_ + "\": expected " + expected + " at byte " +
                                std::to_string(at_));
  }

  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  bool take(std::string_view token) {
    skip_blanks();
    if (text_.compare(at_, token.size(), token) != 0) return false;
    at_ += token.size();
    return true;
  }

  void require(std::string_view token) {
    if (!take(token)) fail(std::string(token));
  }

  double sum() {
    double value = product();
    for (;;) {
      if (take("+"))
        value += product();
      else if (take("-"))
        value -= product();
      else
        return value;
    }
  }

  double product() {
    double value = signed_power();
    for (;;) {
      if (take("·"))
        value *= signed_power();
      else if (take("/"))
        value /= signed_power();
      else
        return value;
    }
  }

  double signed_power() { return take("-") || take("−") ? -signed_power() : power(); }

  double power() {
    const double base = atom();
    return take("^") ? std::pow(base, signed_power()) : base;
  }

  double atom() {
    if (take("(")) return closed(sum());
    if (take("exp(")) return std::exp(closed(sum()));
    if (take("erf(")) return std::erf(closed(sum()));
    if (take("tanh(")) return std::tanh(closed(sum()));
    if (take("ln(")) return std::log(closed(sum()));
    if (take("sin(")) return std::sin(closed(sum()));
    if (take("cos(")) return std::cos(closed(sum()));
    if (take("sqrt(")) return std::sqrt(closed(sum()));
    if (take("max(")) return largest();
    if (take("inf") || take("∞")) return std::numeric_limits<double>::infinity();
    if (take("nan")) return std::numeric_limits<double>::quiet_NaN();
    if (take("…")) {
      number();
      require("(");
      return closed(sum());
    }
    return number();
  }

  double closed(double value) {
    require(")");
    return value;
  }

  double largest() {
    double value = sum();
    while (take(",")) value = std::max(value, sum());
    return closed(value);
  }

  double number() {
    skip_blanks();
    if (at_ >= text_.size() || !(std::isdigit(static_cast<unsigned char>(text_[at_])) || text_[at_] == '.'))
      fail("a number");
    char* end = nullptr;
    const double value = std::strtod(text_.c_str() + at_, &end);
    at_ = static_cast<std::size_t>(end - text_.c_str());
    return value;
  }

  const std::string& text_;
  std::size_t at_ = 0;
};

} // namespace

double calculate(const std::string& text) {
  return Calculator(text).whole();
}

} // namespace tfx
