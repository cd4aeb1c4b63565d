#pragma once
// The box of learned numbers on a page of drawn ones, for the terminal and for a document.

#include "render/paper.hpp"
#include "render/report.hpp"
#include "trace/learned.hpp"

namespace tfx {

/// What the words "box" and "box.so" of the lesson quote: model, text, answer, head, heads; and of one row
/// from, key, weight, and where it reads and writes: reads, writes.
std::map<std::string, std::string> box_values(const Learned& learned);

/// A sentence, a row a place in the text with a bar for the most, and what follows from it.
void write_box(Paper& paper, const Learned& learned);

/// Its rows, for a document: from where, and up to four that were looked at.
ShownTable box_table(const Learned& learned);

} // namespace tfx
