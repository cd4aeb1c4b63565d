#pragma once
// The box of learned numbers on a page of drawn ones, for the terminal and for a document.

#include "render/paper.hpp"
#include "render/report.hpp"
#include "render/terminal.hpp"

namespace tfx {

/// What the words "box" and "box.so" of the lesson quote: model, text, answer, head, heads, and the first
/// row's word; where there is a point, from, writes, key and weight.
std::map<std::string, std::string> box_values(const Learned& learned);

/// A sentence, a row a place in the text with a bar for the most, and what follows from it; of words that the
/// model does not know, that it does not. Nothing where no model was asked.
void write_box(Paper& paper, const Screen& screen);

/// Its rows, for a document; heads are named in the paper's language.
ShownTable box_table(const Learned& learned, const Paper& paper);

} // namespace tfx
