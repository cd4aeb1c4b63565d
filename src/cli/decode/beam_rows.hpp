#pragma once
// A beam's tree as the rows of a table: a row goes on until its targets part, what they share stands above.

#include "model/beam_search.hpp"
#include "render/table.hpp"
#include "text/vocabulary.hpp"

namespace tfx {

/// The targets that were kept to the end, at most `max_targets` of them, the best first. Cells: the score,
/// how many other tokens were tried beside the row's and not kept, and its place in the end.
std::vector<TableRow> beam_rows(const BeamTree& tree, const Vocabulary& vocabulary, std::size_t max_targets,
                                const Style& style);

} // namespace tfx
