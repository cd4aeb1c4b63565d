#include "cli/diff/difference.hpp"

#include "parity/rounding.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>

namespace tfx {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

bool same(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

/// Two infinities of different sign are as far apart as can be; equal ones not at all.
double distance(double a, double b) {
  return same(a, b) ? 0 : std::abs(a - b);
}

bool within(double a, double b, const FileTolerance& tolerance) {
  if (same(a, b)) return true;
  if (!std::isfinite(a) || !std::isfinite(b)) return false;
  return std::abs(a - b) <= tolerance.absolute + tolerance.relative * std::abs(b);
}

double largest_of(const std::vector<double>& values) {
  double largest = 0;
  for (const double x : values)
    if (largest = std::max(largest, std::abs(x)); !std::isfinite(x)) return nan;
  return largest;
}

/// Both are divided by their largest number first: squares neither overflow nor vanish.
double cosine(const std::vector<double>& a, const std::vector<double>& b) {
  const double scale_a = largest_of(a), scale_b = largest_of(b);
  if (!(scale_a > 0 && scale_b > 0)) return nan;
  double product = 0, square_a = 0, square_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double x = a[i] / scale_a, y = b[i] / scale_b;
    product += x * y, square_a += x * x, square_b += y * y;
  }
  return product / std::sqrt(square_a * square_b);
}

} // namespace

CellDifferences difference_of(const Tensor& a, DType a_type, const Tensor& b, DType b_type,
                              const FileTolerance& tolerance) {
  CellDifferences result;
  result.cells = a.size();
  const bool floating = is_floating(a_type) && is_floating(b_type);
  const DType type = floating ? narrower(a_type, b_type) : a_type;
  std::uint64_t ulp = 0;
  double worst = -1;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double x = a.data[i], y = b.data[i];
    if (!within(x, y, tolerance)) ++result.different;
    const bool one_nan = std::isnan(x) != std::isnan(y);
    const double far = one_nan ? std::numeric_limits<double>::infinity() : distance(x, y);
    if (far > worst || (one_nan && result.one_nan == 0)) worst = far, result.worst = i;
    if (one_nan) {
      ++result.one_nan;
      continue;
    }
    result.largest = std::max(result.largest, far);
    if (far > 0)
      result.largest_relative = std::max(result.largest_relative, std::isinf(far) ? far : far / std::abs(y));
    if (floating && far > 0) ulp = std::max(ulp, ulp_distance(x, y, type));
  }
  if (result.one_nan > 0) result.largest = result.largest_relative = nan;
  if (floating && result.one_nan == 0) result.ulp = ulp;
  result.cosine = cosine(a.data, b.data);
  if (!a.data.empty()) result.a = a.data[result.worst], result.b = b.data[result.worst];
  return result;
}

bool is_transposed(const Tensor& a, const Tensor& b, const FileTolerance& tolerance) {
  if (a.rank() < 2 || a.rank() != b.rank()) return false;
  Shape exchanged = a.shape;
  std::swap(exchanged[a.rank() - 1], exchanged[a.rank() - 2]);
  if (exchanged != b.shape) return false;
  const std::size_t rows = b.shape[b.rank() - 2], columns = b.shape.back();
  for (std::size_t i = 0; i < b.size(); ++i) {
    const std::size_t matrix = i / (rows * columns), row = i / columns % rows, column = i % columns;
    if (!within(a.data[matrix * rows * columns + column * rows + row], b.data[i], tolerance)) return false;
  }
  return true;
}

namespace {

void compare(ArrayDifference& pair, const Tensor& a, const Tensor& b, const FileTolerance& tolerance) {
  if (a.shape != b.shape)
    pair.verdict = ArrayVerdict::shapes;
  else {
    pair.values = difference_of(a, pair.a->dtype, b, pair.b->dtype, tolerance);
    pair.verdict = pair.values->equal() ? ArrayVerdict::equal : ArrayVerdict::values;
  }
  pair.transposed = pair.verdict != ArrayVerdict::equal && is_transposed(a, b, tolerance);
}

} // namespace

std::vector<ArrayDifference> compare_files(const ArrayFile& a, const ArrayFile& b,
                                           const FileTolerance& tolerance) {
  std::unordered_map<std::string, std::size_t> in_b;
  for (std::size_t i = 0; i < b.entries().size(); ++i) in_b[b.entries()[i].name] = i;
  const bool one_each = a.entries().size() == 1 && b.entries().size() == 1;
  std::vector<ArrayDifference> all;
  for (std::size_t i = 0; i < a.entries().size(); ++i) {
    const ArrayFile::Entry& entry = a.entries()[i];
    ArrayDifference& pair = all.emplace_back();
    pair.name = entry.name, pair.a = entry;
    const auto found = one_each ? in_b.begin() : in_b.find(entry.name);
    if (found == in_b.end()) {
      pair.verdict = ArrayVerdict::only_in_a;
      continue;
    }
    const std::size_t j = found->second;
    pair.b = b.entries()[j];
    if (pair.name.empty()) pair.name = pair.b->name;
    in_b.erase(found);
    compare(pair, a.read(i), b.read(j), tolerance);
  }
  for (const ArrayFile::Entry& entry : b.entries()) {
    if (!in_b.contains(entry.name)) continue;
    ArrayDifference& rest = all.emplace_back();
    rest.name = entry.name, rest.verdict = ArrayVerdict::only_in_b, rest.b = entry;
  }
  return all;
}

} // namespace tfx
