#pragma once
// Attention weights as a picture: one square a weight, from the ground (0) to full colour (1). Every square
// says its row, column and value where the pointer or the keyboard stands on it.

#include "render/html/cell_book.hpp"

namespace tfx {

/// Matrix `slice` of a step of weights. Its squares are cells of the book where `book` is given.
Html heat_map(const Step& step, std::size_t slice, const Style& style, CellBook* book);

} // namespace tfx
