#pragma once
// `tfx cache`: keys and values kept while decoding, against everything computed again.

#include "parity/cache_comparison.hpp"
#include "render/terminal.hpp"

namespace tfx {

// The screen of `tfx cache`: every step with and without a cache, and what is kept.

std::string render_cache(const cache::Comparison& comparison, const ModelCard& card, const Screen& screen,
                         const Words& words, const Style& style);

} // namespace tfx
