#include "core/base64.hpp"

#include <algorithm>

namespace tfx {

std::string base64(std::span<const std::uint8_t> bytes) {
  constexpr const char* letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t have = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 3; ++i) group = group << 8 | (i < have ? bytes[at + i] : 0U);
    for (std::size_t i = 0; i < 4; ++i) text += i <= have ? letters[group >> (18 - 6 * i) & 63] : '=';
  }
  return text;
}

} // namespace tfx
