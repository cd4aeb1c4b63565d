#pragma once
// Shapes of tensors, C order: the last axis runs fastest, as NumPy prints it.

#include "core/error.hpp"

#include <cstddef>
#include <initializer_list>
#include <string>
#include <vector>

namespace tfx {

using Shape = std::vector<std::size_t>;
using Index = std::vector<std::size_t>;

/// Number of cells; 1 for a scalar. Throws Error(no_memory) where the product does not fit in 63 bits.
std::size_t element_count(const Shape& shape);

/// a·b, refused with Error(no_memory) where it does not fit in 63 bits. `what` names the quantity in the
/// message.
std::size_t checked_product(std::size_t a, std::size_t b, const Message& what);

/// "(2, 3)", "(3,)", "()": as NumPy writes a shape in text and errors.
std::string to_string(const Shape& shape);

/// "Q has shape (4, 3), K has shape (5, 2)".
Message unequal_shapes(const std::string& a, const Shape& shape_a, const std::string& b,
                       const Shape& shape_b);

/// "2×3", "3", "scalar": as a page writes it.
std::string to_page_string(const Shape& shape);

/// Position of a cell in C order. The index must lie inside the shape.
std::size_t offset_of(const Shape& shape, const Index& index);

/// The inverse of offset_of.
Index index_of(const Shape& shape, std::size_t offset);

} // namespace tfx
