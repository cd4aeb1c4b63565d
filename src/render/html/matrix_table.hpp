#pragma once
// A matrix as a table whose headers are its words, and a product as one does it by hand: the right factor
// above, the left one beside, the result in the corner.

#include "render/html/cell_book.hpp"

namespace tfx {

enum class Turned { no, yes };

/// Matrix `slice` of a step in a box of its own that scrolls. Its cells can be asked for where the book has a
/// number for the step: <table data-t="number" data-s="slice">. `caption` is what a screen reader calls it.
Html matrix_table(const Step& step, std::size_t slice, const Style& style, CellBook* book,
                  Turned turned = Turned::no);

/// A table in a box that scrolls on a screen. On paper it is set smaller where so many columns of text are
/// too many for a sheet.
Html in_box(const Html& table, std::size_t letters);

/// The three tables of a product; empty where it is none of two small plain matrices.
Html product_tables(const Trace& trace, const Step& step, const Style& style, CellBook& book);

} // namespace tfx
