#pragma once
// Attention weights as a picture: a heat map, the five levels of the attention-block tutorial, and which
// token looked at which, with the columns named too.

#include "render/matrix.hpp"
#include "render/text_layout.hpp"
#include "trace/trace.hpp"

namespace tfx {

/// The columns that a heat map has: all, or the first and the last ones where the screen is too narrow.
Shown columns_shown(const Step& step, const Style& style);

/// A weight that is exactly 0: a key that is masked.
inline constexpr const char* blocked_cell = "--";

/// One cell a weight, from the terminal's ground to the full colour, which is the largest weight of the row:
/// a row of many keys has small weights, and which of them is large is the question. Background colours where
/// the terminal has them, shades otherwise.
TextBlock heatmap(const Step& step, std::size_t slice, const Style& style);

/// "###" above 0.3, "##" above 0.2, "#" above 0.1, "." above 0.05; columns of eight, words cut to five
/// letters. Source: attention-block, its picture of the weights.
TextBlock five_levels(const Step& step, std::size_t slice, const Style& style);

/// Matrix `slice` of a step of weights, (tokens that look) × (tokens looked at), under a title if there is
/// one.
TextBlock alignment_picture(const Step& step, std::size_t slice, const std::string& title,
                            const Style& style);

} // namespace tfx
