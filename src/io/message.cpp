#include "io/message.hpp"

#include "core/error.hpp"
#include "core/visible.hpp"

#include <fmt/format.h>

#include <algorithm>

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

std::string printable(std::string_view text) {
  std::string shown;
  char32_t before = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at), end = at + std::max<std::size_t>(length, 1),
                      ahead = utf8_length(text, end);
    const std::string_view character = text.substr(at, end - at);
    const char32_t value = length ? utf8_value(character) : 0;
    if (length && is_seen(before, value, ahead ? utf8_value(text.substr(end, ahead)) : 0)) {
      shown += character;
      before = value;
    } else {
      shown += length ? written_out(value) : fmt::format("\\x{:02x}", static_cast<unsigned char>(text[at]));
      before = static_cast<unsigned char>(shown.back());
    }
    at = end;
  }
  return shown;
}

std::string in_quotes(std::string_view text, std::size_t max_bytes) {
  std::size_t length = 0;
  while (length < std::min(max_bytes, text.size()))
    length += std::max<std::size_t>(utf8_length(text, length), 1);
  return fmt::format("\"{}{}\"", printable(text.substr(0, length)), length < text.size() ? "…" : "");
}

FileName::FileName(const std::string& name)
    : Message(name == "standard input" ? said("standard input") : Message::given(printable(name))) {}

void refuse_file(const FileName& file, const Message& what, const Message& hint) {
  throw Error(ErrorKind::bad_data, said("{file}: {what}", {{"file", file}, {"what", what}}), hint);
}

} // namespace tfx
