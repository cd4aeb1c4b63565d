#pragma once
// `tfx decode --json`.

#include "parity/decoding.hpp"

#include <string>

namespace tfx {

enum class WithTime { yes, no };

/// `model` is its name, `text` what it read.
std::string decode_json(const decoding::Decoded& decoded, const ModelCard& card, const std::string& model,
                        const std::string& text, WithTime with_time);

} // namespace tfx
