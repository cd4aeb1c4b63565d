#include "core/shape.hpp"

#include "core/error.hpp"

#include <cassert>
#include <cstdint>
#include <limits>

namespace tfx {

std::size_t checked_product(std::size_t a, std::size_t b, const Message& what) {
  constexpr auto limit = static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max());
  if (a != 0 && b > limit / a)
    throw Error(ErrorKind::no_memory,
                said("{what} is too large: {a} × {b}", {{"what", what}, {"a", a}, {"b", b}}),
                said("use smaller sizes"));
  return a * b;
}

std::size_t element_count(const Shape& shape) {
  static const Message what = said("the number of cells of a tensor"); // made once: shapes are counted often
  std::size_t count = 1;
  for (std::size_t extent : shape) count = checked_product(count, extent, what);
  return count;
}

std::string to_string(const Shape& shape) {
  std::string text = "(";
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    text += (axis ? ", " : "") + std::to_string(shape[axis]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

Message unequal_shapes(const std::string& a, const Shape& shape_a, const std::string& b,
                       const Shape& shape_b) {
  return said("{a} has shape {shape_a}, {b} has shape {shape_b}",
              {{"a", a}, {"shape_a", to_string(shape_a)}, {"b", b}, {"shape_b", to_string(shape_b)}});
}

std::string to_page_string(const Shape& shape) {
  if (shape.empty()) return "scalar";
  std::string text;
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    text += (axis ? "×" : "") + std::to_string(shape[axis]);
  return text;
}

std::size_t offset_of(const Shape& shape, const Index& index) {
  assert(shape.size() == index.size());
  std::size_t offset = 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    assert(index[axis] < shape[axis]);
    offset = offset * shape[axis] + index[axis];
  }
  return offset;
}

Index index_of(const Shape& shape, std::size_t offset) {
  Index index(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    index[axis] = offset % shape[axis];
    offset /= shape[axis];
  }
  return index;
}

} // namespace tfx
