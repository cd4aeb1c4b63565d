#include "io/message.hpp"

#include "core/error.hpp"
#include "core/visible.hpp"
#include "io/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tfx {

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
