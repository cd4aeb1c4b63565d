#pragma once
// Matrices as blocks of aligned columns with labels, summarised as NumPy does where they are large.

#include "render/text_layout.hpp"
#include "trace/trace.hpp"

#include <optional>

namespace tfx {

/// Which rows or columns are shown; a gap stands where some are left out.
struct Shown {
  std::vector<std::size_t> positions; ///< indices in order; `gap` marks the left-out ones
  static constexpr std::size_t gap = static_cast<std::size_t>(-1);
};

/// All of `count`, or the first and last `edge` of more than `max_shown`.
Shown shown_of(std::size_t count, std::size_t max_shown, std::size_t edge);

/// Matrix `slice` of a tensor; a vector is a column, a scalar has one cell.
arma::mat slice_of(const Tensor& tensor, std::size_t slice);

/// The names along the last axis (`from_end` 0) or the one before it, of a vector those of its only axis as
/// rows; empty where there are none.
std::vector<std::string> axis_labels(const Step& step, std::size_t from_end);

/// The shown cells as text, all with one number of decimals: integers stay integers, and columns line up. A
/// gap is "…".
std::vector<std::vector<std::string>> aligned_cells(const arma::mat& M, const Shown& rows,
                                                    const Shown& columns, const Style& style);

/// The numbers of matrix `slice` of a tensor (a vector is a column). At most `width` columns.
TextBlock matrix_block(const Step& step, std::size_t slice, const Style& style, std::size_t width);

/// The same with some cells marked: `marked` has a value for each cell of the tensor. The mark is a colour,
/// and a star behind the number where there are no colours.
TextBlock marked_block(const Step& step, std::size_t slice, const std::vector<bool>& marked,
                       const Style& style, std::size_t width);

/// A product drawn as one does it by hand: the right factor above, the left factor beside, the result in the
/// corner. Nothing where it is not a product of two plain matrices or would not fit.
std::optional<TextBlock> product_block(const Trace& trace, const Step& step, const Style& style);

/// "Q  (4×3)  X·W_Q": the line above a matrix.
std::string header_line(const Step& step, const Style& style);

/// "batch 0, head 1": where a slice stands; empty for a plain matrix.
std::string slice_name(const Step& step, std::size_t slice);

/// The same; of a plain matrix the tensor's name.
std::string slice_title(const Step& step, std::size_t slice);

/// The matrix in which that cell stands.
std::size_t slice_with(const Tensor& tensor, const Index& index);

} // namespace tfx
