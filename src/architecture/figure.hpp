#pragma once
// A number and the formula it comes from: sizes have names, and sums and products of sizes keep both.
//
//   Figure d("d", 512);   Figure p = d * d * 4 + d * 4;   p.value() = 1,050,624   p.formula() = "4·d² + 4·d"
//
// Errors: value() throws Error(no_memory) with the estimate where the number does not fit in 63 bits.

#include <cstdint>
#include <map>
#include <string>

namespace tfx::params {

class Figure {
public:
  Figure() = default;
  /// A plain number: its formula is itself. Implicit, so that 4 * d reads as it is written.
  Figure(std::uint64_t number);
  /// A size with a name, at least 1.
  Figure(const std::string& symbol, std::uint64_t size);

  std::uint64_t value() const;
  /// The same in floating point, whatever its size.
  double estimate() const { return estimate_; }
  /// Multiplied out, the highest powers first: "2·d·f + f + d".
  std::string formula() const;
  /// Whether a name stands in the formula.
  bool is_symbolic() const;

  Figure& operator+=(const Figure& other);
  friend Figure operator+(Figure a, const Figure& b) { return a += b; }
  friend Figure operator*(const Figure& a, const Figure& b);
  friend bool operator==(const Figure&, const Figure&) = default;

private:
  using Monomial = std::map<std::string, int>; ///< powers of the names

  std::map<Monomial, std::uint64_t> terms_;
  std::uint64_t value_ = 0; ///< true while the estimate stays below 2⁶³
  double estimate_ = 0;
};

} // namespace tfx::params
