#pragma once
// What an operation asks of the shapes of its inputs, and the shape of its result. In a right run they fit;
// in a wrong one a mistake may have given any input another shape. Every refusal is Error(bad_data), the same
// in each language: "Q (4, 3) · K (4, 3): 3 ≠ 4".

#include "ops/operation.hpp"

namespace tfx {

/// Throws Error(bad_data) for two extents that ought to be one. `operation` names the tensors with their
/// shapes.
[[noreturn]] void refuse_shapes(const std::string& operation, std::size_t a, std::size_t b);

/// "Q (4, 3)".
std::string with_shape(const std::string& name, const Shape& shape);
std::string with_shape(const Arguments& in, std::size_t i);

/// NumPy's broadcasting of a and b; `operation` names them in a refusal.
Shape fitting(const std::string& operation, const Shape& a, const Shape& b);

/// The first `count` inputs are stacks of matrices that broadcast; the common leading axes.
Shape common_stack(const Arguments& in, std::size_t count);

/// Input i has so many axes or more: a mistake, or a learner's array, may have fewer.
void require_axes(const Arguments& in, std::size_t i, std::size_t least);

/// Inputs i and j have as many rows, or as many rows and columns, or the same shape altogether.
void require_same_rows(const Arguments& in, std::size_t i, std::size_t j);
void require_same_matrix(const Arguments& in, std::size_t i, std::size_t j);
void require_same_shape(const Arguments& in, std::size_t i, std::size_t j);

/// Every number of input `ids` is one of `rows` rows of what is called `table`.
void require_rows(const Arguments& in, const std::string& table, std::size_t rows, std::size_t ids,
                  std::optional<double> ignored = {});

// Rules that several operations have.
Shape same_shape(const Arguments& in);   ///< the first input's
Shape common_shape(const Arguments& in); ///< what all inputs are broadcast to
Shape one_column(const Arguments& in);   ///< (…, n, m) → (…, n, 1)
/// Of two stacks of equal matrices, broadcast: a gradient beside what it is taken at.
Shape cell_for_cell(const Arguments& in);
/// (…, n, 1) beside (…, n, m) → (…, n, m)
Shape along_rows(const Arguments& in);

} // namespace tfx
