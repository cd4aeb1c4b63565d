#pragma once
// The characters of UTF-8. Strict: no overlong form, no surrogate, nothing above U+10FFFF, nothing cut off.

#include <cstddef>
#include <string_view>

namespace tfx {

/// Bytes of the UTF-8 character that starts at `position`, 1 to 4; 0 where the bytes there are no UTF-8, or
/// none are left.
std::size_t utf8_length(std::string_view text, std::size_t position);

/// Whether all of the text is UTF-8.
bool is_utf8(std::string_view text);

/// The code point of one whole character.
char32_t utf8_value(std::string_view character);

} // namespace tfx
