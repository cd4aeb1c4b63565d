#pragma once
// SHA-256, the checksum by which an HTML document's security policy names its own style and script. Source:
// FIPS 180-4.

#include <array>
#include <cstdint>
#include <string_view>

namespace tfx {

/// The digest of the bytes.
std::array<std::uint8_t, 32> sha256(std::string_view bytes);

} // namespace tfx
