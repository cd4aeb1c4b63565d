#include "io/utf8.hpp"

namespace tfx {

std::size_t utf8_length(std::string_view text, std::size_t position) {
  if (position >= text.size()) return 0;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[position + i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (lead < 0xC2 || lead > 0xF4 || text.size() - position < length) return 0;
  unsigned lowest = 0x80, highest = 0xBF; // of the second byte
  if (lead == 0xE0) lowest = 0xA0;        // below: overlong
  if (lead == 0xED) highest = 0x9F;       // above: surrogates
  if (lead == 0xF0) lowest = 0x90;        // below: overlong
  if (lead == 0xF4) highest = 0x8F;       // above: beyond U+10FFFF
  if (byte(1) < lowest || byte(1) > highest) return 0;
  for (std::size_t i = 2; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  return length;
}

bool is_utf8(std::string_view text) {
  std::size_t at = 0;
  while (const std::size_t length = utf8_length(text, at)) at += length;
  return at == text.size();
}

char32_t utf8_value(std::string_view character) {
  const auto lead = static_cast<unsigned char>(character[0]);
  char32_t value = character.size() == 1 ? lead : lead & (0x7Fu >> character.size());
  for (const char byte : character.substr(1)) value = value << 6 | (static_cast<unsigned char>(byte) & 0x3Fu);
  return value;
}

} // namespace tfx
