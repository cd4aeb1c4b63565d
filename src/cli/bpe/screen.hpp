#pragma once
// The screens and the JSON of `tfx bpe`: the merges that were learned, and a text as tokens.

#include "cli/bpe/options.hpp"
#include "render/style.hpp"
#include "text/byte_pair_training.hpp"

namespace tfx {

std::string learned_screen(const LearnedBytePairs& learned, const BpeOptions& options, const Style& style);
std::string learned_json(const LearnedBytePairs& learned);

std::string encoded_screen(const BytePairs& pairs, const std::vector<std::uint32_t>& ids, const Style& style);
std::string encoded_json(const BytePairs& pairs, const std::string& text,
                         const std::vector<std::uint32_t>& ids);

} // namespace tfx
