#pragma once
// The first picture of a page, drawn in characters, for the terminal and for a document.

#include "render/paper.hpp"
#include "render/report.hpp"

namespace tfx {

/// Its words, a line a row, and what follows from it. On a narrow screen the last columns are left out.
void write_idea(Paper& paper, const BarPicture& picture);

/// Its rows, for a document, under the keys of its columns.
ShownTable idea_table(const BarPicture& picture);

} // namespace tfx
