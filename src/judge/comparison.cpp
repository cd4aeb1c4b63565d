#include "judge/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tfx {

namespace {

// Which cells of `yours` equal the lesson's.
class CellTest {
public:
  CellTest(const Tensor& lessons, const Tolerance& tolerance)
      : relative_(tolerance.relative),
        floor_(tolerance.of_largest * std::max(largest_of(lessons), min_scale)) {}

  bool operator()(double yours, double lessons) const {
    if (yours == lessons || (std::isnan(yours) && std::isnan(lessons))) return true;
    if (!std::isfinite(yours) || !std::isfinite(lessons)) return false;
    return std::abs(yours - lessons) <= std::max(relative_ * std::abs(lessons), floor_);
  }

private:
  static constexpr double min_scale = 1e-3; // a tensor that cancels throughout is rounding and nothing else
  double relative_, floor_;
};

} // namespace

Tolerance tolerance_of(DType dtype) {
  if (dtype == DType::f32) return {1e-5, 1e-6};
  return {};
}

Shape without_leading_ones(Shape shape) {
  const auto first = std::ranges::find_if(shape, [](std::size_t extent) { return extent != 1; });
  return Shape(first, shape.end());
}

std::optional<Tensor> fitted(const Tensor& yours, const Shape& lessons, FromText from_text) {
  const Shape own = without_leading_ones(yours.shape), wanted = without_leading_ones(lessons);
  const bool column = from_text == FromText::yes && yours.rank() == 2 && yours.shape[1] == 1 &&
                      wanted == Shape{yours.shape[0]};
  if (own != wanted && !column) return std::nullopt;
  return Tensor(lessons, yours.data);
}

double largest_of(const Tensor& tensor) {
  double largest = 0;
  for (const double x : tensor.data)
    if (std::isfinite(x)) largest = std::max(largest, std::abs(x));
  return largest;
}

Difference difference(const Tensor& yours, const Tensor& lessons, const Tolerance& tolerance) {
  Difference found;
  found.cells = lessons.size();
  found.same_shape = yours.shape == lessons.shape;
  if (!found.same_shape) {
    found.different = found.cells;
    return found;
  }
  const CellTest equal(lessons, tolerance);
  for (std::size_t i = 0; i < lessons.size(); ++i) {
    const double a = yours.data[i], b = lessons.data[i];
    if (equal(a, b)) continue;
    if (found.different++ == 0) found.first = index_of(lessons.shape, i), found.yours = a, found.lessons = b;
    const double apart = std::abs(a - b);
    found.largest =
        std::max(found.largest, std::isnan(apart) ? std::numeric_limits<double>::infinity() : apart);
  }
  return found;
}

std::vector<bool> differing_cells(const Tensor& yours, const Tensor& lessons, const Tolerance& tolerance) {
  const CellTest equal(lessons, tolerance);
  std::vector<bool> differs(lessons.size());
  for (std::size_t i = 0; i < lessons.size(); ++i) differs[i] = !equal(yours.data[i], lessons.data[i]);
  return differs;
}

bool equal_within(const Tensor& yours, const Tensor& lessons, const Tolerance& tolerance) {
  if (yours.shape != lessons.shape) return false;
  const CellTest equal(lessons, tolerance);
  for (std::size_t i = 0; i < lessons.size(); ++i)
    if (!equal(yours.data[i], lessons.data[i])) return false;
  return true;
}

Tensor with_blocked_rows_of(const Tensor& value, Tensor own) {
  if (own.rank() == 0 || own.shape != value.shape) return own;
  const std::size_t width = own.shape.back();
  for (std::size_t row = 0; width > 0 && row < own.size(); row += width) {
    const auto all = [&](const Tensor& tensor, auto holds) {
      const auto first = tensor.data.begin() + static_cast<std::ptrdiff_t>(row);
      return std::all_of(first, first + static_cast<std::ptrdiff_t>(width), holds);
    };
    if (all(own, [](double x) { return std::isnan(x); }) && all(value, [](double x) { return x == 0; }))
      std::fill_n(own.data.begin() + static_cast<std::ptrdiff_t>(row), width, 0.0);
  }
  return own;
}

} // namespace tfx
