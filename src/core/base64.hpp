#pragma once
// Bytes as letters: three bytes are four of A … Z a … z 0 … 9 + /, the last group filled up with =. Source:
// RFC 4648, section 4.

#include <cstdint>
#include <span>
#include <string>

namespace tfx {

std::string base64(std::span<const std::uint8_t> bytes);

} // namespace tfx
