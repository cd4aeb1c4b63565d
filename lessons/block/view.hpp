#pragma once
// A tensor's shape over memory: what view, transpose and contiguous do to it in PyTorch. No number moves but
// in contiguous.

#include "core/shape.hpp"

#include <optional>

namespace tfx {

struct View {
  Shape shape;
  Shape strides; ///< how many numbers further the next index of an axis is

  /// Strides of C order.
  static View contiguous(Shape shape);

  bool is_contiguous() const;
  View transposed(std::size_t a, std::size_t b) const;
  /// The first `count` places of an axis.
  View first(std::size_t axis, std::size_t count) const;
  /// The same numbers in the same order under another shape, or nothing where no strides give them: then
  /// PyTorch's view raises, and reshape copies. The shape has as many cells.
  std::optional<View> viewed(const Shape& wanted) const;
};

} // namespace tfx
