#include "io/message.hpp"

#include "core/error.hpp"
#include "io/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace tfx {

namespace {

std::string escaped(char32_t value) {
  switch (value) {
  case '\n': return "\\n";
  case '\t': return "\\t";
  case '\r': return "\\r";
  }
  const auto code = static_cast<std::uint32_t>(value);
  return code < 0x80 ? fmt::format("\\x{:02x}", code) : fmt::format("\\u{:04x}", code);
}

} // namespace

std::string printable(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text, 0);
    const std::string_view character = text.substr(0, std::max<std::size_t>(length, 1));
    if (length == 0)
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    else if (const char32_t value = utf8_value(character); drives_a_terminal(value))
      shown += escaped(value);
    else
      shown += character;
    text.remove_prefix(character.size());
  }
  return shown;
}

std::string in_quotes(std::string_view text, std::size_t max_bytes) {
  std::size_t length = 0;
  while (length < std::min(max_bytes, text.size()))
    length += std::max<std::size_t>(utf8_length(text, length), 1);
  return fmt::format("\"{}{}\"", printable(text.substr(0, length)), length < text.size() ? "…" : "");
}

void refuse_file(const std::string& file, const std::string& what, const std::string& hint) {
  throw Error(ErrorKind::bad_data, printable(file) + ": " + what, hint);
}

} // namespace tfx
