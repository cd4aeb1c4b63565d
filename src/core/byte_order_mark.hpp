#pragma once
// The mark that editors put before a text in UTF-8. It is no part of the text.

#include <string_view>

namespace tfx {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// The text behind its byte order mark, if it has one.
inline std::string_view without_byte_order_mark(std::string_view text) {
  return text.starts_with(byte_order_mark) ? text.substr(byte_order_mark.size()) : text;
}

} // namespace tfx
