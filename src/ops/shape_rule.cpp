#include "ops/shape_rule.hpp"

#include "core/error.hpp"

#include <algorithm>

namespace tfx {

namespace {

std::string both_named(const Arguments& in, std::size_t i, std::size_t j) {
  return with_shape(in, i) + ", " + with_shape(in, j);
}

void require_equal(const Arguments& in, std::size_t i, std::size_t j, std::size_t a, std::size_t b) {
  if (a != b) refuse_shapes(both_named(in, i, j), a, b);
}

std::size_t rows_of(const Tensor& t) {
  return t.shape[t.rank() - 2];
}

} // namespace

void refuse_shapes(const std::string& operation, std::size_t a, std::size_t b) {
  throw Error(ErrorKind::bad_data,
              Message::given(operation + ": " + std::to_string(a) + " ≠ " + std::to_string(b)));
}

std::string with_shape(const std::string& name, const Shape& shape) {
  return name + " " + to_string(shape);
}

std::string with_shape(const Arguments& in, std::size_t i) {
  return with_shape(in.operation().inputs[i], in[i].shape);
}

Shape fitting(const std::string& operation, const Shape& a, const Shape& b) {
  Shape common = a.size() >= b.size() ? a : b;
  for (std::size_t i = 1; i <= std::min(a.size(), b.size()); ++i) {
    const std::size_t x = a[a.size() - i], y = b[b.size() - i];
    if (x != y && x != 1 && y != 1) refuse_shapes(operation, x, y);
    common[common.size() - i] = x == 1 ? y : x;
  }
  return common;
}

void require_axes(const Arguments& in, std::size_t i, std::size_t least) {
  if (in[i].rank() < least) refuse_shapes(with_shape(in, i), in[i].rank(), least);
}

Shape common_stack(const Arguments& in, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) require_axes(in, i, 2);
  Shape common = stack_shape(in[0]);
  for (std::size_t i = 1; i < count; ++i) common = fitting(both_named(in, 0, i), common, stack_shape(in[i]));
  return common;
}

void require_same_rows(const Arguments& in, std::size_t i, std::size_t j) {
  require_axes(in, i, 2), require_axes(in, j, 2);
  require_equal(in, i, j, rows_of(in[i]), rows_of(in[j]));
}

void require_same_matrix(const Arguments& in, std::size_t i, std::size_t j) {
  require_same_rows(in, i, j);
  require_equal(in, i, j, in[i].shape.back(), in[j].shape.back());
}

void require_same_shape(const Arguments& in, std::size_t i, std::size_t j) {
  require_equal(in, i, j, in[i].rank(), in[j].rank());
  for (std::size_t axis = 0; axis < in[i].rank(); ++axis)
    require_equal(in, i, j, in[i].shape[axis], in[j].shape[axis]);
}

void require_rows(const Arguments& in, const std::string& table, std::size_t rows, std::size_t ids,
                  std::optional<double> ignored) {
  constexpr double largest = 1e15; // what is no count is said as 0
  for (const double id : in[ids].data)
    if (id != ignored && !(id >= 0 && id < static_cast<double>(rows)))
      refuse_shapes(table + "[" + in.operation().inputs[ids] + "]", rows,
                    id >= 0 && id < largest ? static_cast<std::size_t>(id) + 1 : 0);
}

Shape same_shape(const Arguments& in) {
  return in[0].shape;
}

Shape common_shape(const Arguments& in) {
  Shape shape = in[0].shape;
  for (std::size_t i = 1; i < in.size(); ++i) shape = fitting(both_named(in, 0, i), shape, in[i].shape);
  return shape;
}

Shape one_column(const Arguments& in) {
  require_axes(in, 0, 1);
  Shape shape = in[0].shape;
  shape.back() = 1;
  return shape;
}

Shape cell_for_cell(const Arguments& in) {
  Shape shape = common_stack(in, in.size());
  require_same_matrix(in, 0, 1);
  shape.insert(shape.end(), {rows_of(in[0]), in[0].shape.back()});
  return shape;
}

Shape along_rows(const Arguments& in) {
  Shape shape = common_stack(in, in.size());
  for (std::size_t i = 1; i < in.size(); ++i) require_same_rows(in, i - 1, i);
  shape.insert(shape.end(), {rows_of(in[1]), in[1].shape.back()});
  return shape;
}

} // namespace tfx
