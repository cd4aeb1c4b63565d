#include "lessons/block/view.hpp"

#include <algorithm>

namespace tfx {

View View::contiguous(Shape shape) {
  View view{std::move(shape), {}};
  view.strides.resize(view.shape.size());
  std::size_t stride = 1;
  for (std::size_t axis = view.shape.size(); axis-- > 0;)
    view.strides[axis] = stride, stride *= view.shape[axis];
  return view;
}

// An axis of one place is never stepped along: its stride does not matter.
bool View::is_contiguous() const {
  const View plain = contiguous(shape);
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    if (shape[axis] != 1 && strides[axis] != plain.strides[axis]) return false;
  return true;
}

View View::transposed(std::size_t a, std::size_t b) const {
  View view = *this;
  std::swap(view.shape[a], view.shape[b]);
  std::swap(view.strides[a], view.strides[b]);
  return view;
}

View View::first(std::size_t axis, std::size_t count) const {
  View view = *this;
  view.shape[axis] = count;
  return view;
}

// From the last axis on: axes that lie one inside the other in memory form a run, and a run can be cut into
// other axes.
std::optional<View> View::viewed(const Shape& wanted) const {
  View view{wanted, Shape(wanted.size())};
  std::size_t target = wanted.size();
  for (std::size_t axis = shape.size(); axis > 0;) {
    std::size_t run = shape[--axis];
    const std::size_t base = strides[axis];
    while (axis > 0 && (shape[axis - 1] == 1 || strides[axis - 1] == run * base)) run *= shape[--axis];
    std::size_t filled = 1;
    while (target > 0 && (filled < run || wanted[target - 1] == 1)) {
      view.strides[--target] = filled * base;
      filled *= wanted[target];
    }
    if (filled != run) return std::nullopt;
  }
  return view;
}

} // namespace tfx
