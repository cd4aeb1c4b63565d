#pragma once
// The learner's files: read, and checked against what a lesson can take. A mask is also laid out for the
// heads, and looked at for the commonest mistake.

#include "core/tensor.hpp"
#include "input/options.hpp"
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

/// Adds mask_given from --mask. In lessons with heads three axes are a mask a sentence (b, n_q, n_k) of a
/// batch, which gets an axis for the heads; without a batch a mask a head (h, n_q, n_k); and (b·h, n_q, n_k)
/// is a mask a sentence and head, as nn.MultiheadAttention takes them. A note asks where 1 seems to mean
/// blocked. Throws Error(bad_data).
void give_mask(const InputOptions& options, const InputRules& lesson, LessonInput& input);

/// Whether the mask is a causal one turned round: rows that see later keys, and neither themselves nor
/// earlier ones.
bool seems_turned_round(const Tensor& mask);

} // namespace tfx
