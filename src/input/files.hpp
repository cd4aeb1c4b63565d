#pragma once
// The learner's files: read, and checked against what a lesson can take.

#include "core/tensor.hpp"
#include "io/csv.hpp"

#include <string>
#include <vector>

namespace tfx {

/// A matrix (n, d) or a batch of them (B, n, d) for an option; Error(bad_data) with the shape for anything
/// else. `notes` gets a line where a text table's first line was taken as names of its columns.
Tensor load_matrices(const std::string& path, const std::string& option, std::vector<std::string>& notes);

/// 0 and 1 only; 2-D (n_q, n_k) or with leading axes.
Tensor load_mask(const std::string& path, std::vector<std::string>& notes);

/// Words and their vectors from a text table.
Csv load_words(const std::string& path, std::vector<std::string>& notes);

/// What a learner is told of a first line that was taken as names of the columns: it might have been numbers.
/// Nothing where there was none.
void note_header(const std::string& path, const std::string& header, std::vector<std::string>& notes);

} // namespace tfx
