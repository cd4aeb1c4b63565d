#include "architecture/figure.hpp"

#include "core/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace tfx::params {

namespace {

constexpr double too_large = 9.2e18; // 2⁶³, a little less: the estimate is rounded

std::string power_text(const std::string& symbol, int power) {
  if (power == 1) return symbol;
  if (power == 2) return symbol + "²";
  if (power == 3) return symbol + "³";
  return symbol + "^" + std::to_string(power);
}

} // namespace

Figure::Figure(std::uint64_t number) : value_(number), estimate_(static_cast<double>(number)) {
  if (number) terms_[{}] = number;
}

Figure::Figure(const std::string& symbol, std::uint64_t size)
    : value_(size), estimate_(static_cast<double>(size)) {
  terms_[{{symbol, 1}}] = 1;
}

std::uint64_t Figure::value() const {
  if (estimate_ < too_large) return value_;
  throw Error(ErrorKind::no_memory,
              said("a count of about {count} is more than any machine holds or does",
                   {{"count", fmt::format("{:.2g}", estimate_)}}),
              said("use smaller sizes"));
}

std::string Figure::formula() const {
  const auto degree = [](const Monomial& monomial) {
    int sum = 0;
    for (const auto& [symbol, power] : monomial) sum += power;
    return sum;
  };
  std::vector<std::pair<Monomial, std::uint64_t>> ordered(terms_.begin(), terms_.end());
  std::stable_sort(ordered.begin(), ordered.end(),
                   [&](const auto& a, const auto& b) { return degree(a.first) > degree(b.first); });
  std::string sum;
  for (const auto& [monomial, coefficient] : ordered) {
    std::string product = coefficient == 1 && !monomial.empty() ? "" : std::to_string(coefficient);
    for (const auto& [symbol, power] : monomial)
      product += (product.empty() ? "" : "·") + power_text(symbol, power);
    sum += (sum.empty() ? "" : " + ") + product;
  }
  return sum.empty() ? "0" : sum;
}

bool Figure::is_symbolic() const {
  return std::any_of(terms_.begin(), terms_.end(), [](const auto& term) { return !term.first.empty(); });
}

Figure& Figure::operator+=(const Figure& other) {
  for (const auto& [monomial, coefficient] : other.terms_) terms_[monomial] += coefficient;
  value_ += other.value_, estimate_ += other.estimate_;
  return *this;
}

Figure operator*(const Figure& a, const Figure& b) {
  Figure product;
  for (const auto& [left, x] : a.terms_)
    for (const auto& [right, y] : b.terms_) {
      Figure::Monomial monomial = left;
      for (const auto& [symbol, power] : right) monomial[symbol] += power;
      product.terms_[monomial] += x * y;
    }
  product.value_ = a.value_ * b.value_, product.estimate_ = a.estimate_ * b.estimate_;
  return product;
}

} // namespace tfx::params
