#pragma once
// Which token looked at which: a heat map whose columns are named too, from top to bottom.

#include "render/text_block.hpp"
#include "trace/trace.hpp"

namespace tfx {

/// Matrix `slice` of a step of weights, (tokens that look) × (tokens looked at), under a title if there is
/// one.
TextBlock alignment_picture(const Step& step, std::size_t slice, const std::string& title,
                            const Style& style);

} // namespace tfx
