#pragma once
// Matrices as blocks of aligned columns with labels, summarised as NumPy does where they are large.

#include "render/block.hpp"
#include "trace/trace.hpp"

#include <optional>

namespace tfx {

/// Which rows or columns are shown; a gap stands where some are left out.
struct Shown {
  std::vector<std::size_t> positions; ///< indices in order; `gap` marks the left-out ones
  static constexpr std::size_t gap = static_cast<std::size_t>(-1);
};

/// All of `count`, or the first and last `edge` of more than `most`.
Shown shown_of(std::size_t count, std::size_t most, std::size_t edge);

/// The numbers of matrix `slice` of a tensor (a vector is a column). At most `width` columns.
Block matrix_block(const Step& step, std::size_t slice, const Style& style, std::size_t width);

/// The same with some cells marked: `marked` has a value for each cell of the tensor. The mark is a colour,
/// and a star behind the number where there are no colours.
Block marked_block(const Step& step, std::size_t slice, const std::vector<bool>& marked, const Style& style,
                   std::size_t width);

/// A product drawn as one does it by hand: the right factor above, the left factor beside, the result in the
/// corner. Nothing where it is not a product of two plain matrices or would not fit.
std::optional<Block> product_block(const Trace& trace, const Step& step, const Style& style);

/// "Q  (4×3)  X·W_Q": the line above a matrix.
std::string header_line(const Step& step, const Style& style);

/// "batch 0, head 1": where a slice stands; empty for a plain matrix.
std::string slice_name(const Step& step, std::size_t slice);

} // namespace tfx
