#pragma once
// UTF-8: decoding, strict validation, what a character is, and text made safe to show. Strict means no
// overlong form, no surrogate, nothing above U+10FFFF, nothing cut off.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tfx {

struct CodePoint {
  char32_t value = 0;     ///< U+FFFD where the bytes are invalid
  std::size_t length = 1; ///< bytes it takes; an invalid byte stands alone
  bool valid = false;
};

/// The code point that starts at byte `position`, which must lie inside the text.
CodePoint decode(std::string_view text, std::size_t position);

/// Position of the first byte that does not belong to valid UTF-8; none where all of the text is valid.
std::optional<std::size_t> first_invalid_byte(std::string_view text);

/// The characters a reader sees: extended grapheme clusters (UAX #29), each with its combining marks.
/// Together they are the text; an invalid byte is one of its own.
std::vector<std::string_view> graphemes(std::string_view text);

/// White space as Unicode defines it, U+3000 included; not U+200B.
bool is_white_space(char32_t character);

/// \p{L}: a letter of any script, a Chinese character too; not a mark that combines with one.
bool is_letter(char32_t character);

/// \p{N}: a digit of any script, a Roman numeral, a fraction.
bool is_number(char32_t character);

/// \p{P} or \p{S}: a punctuation mark, a currency, an arrow, a picture.
bool is_punctuation(char32_t character);

/// Chinese, Japanese and Korean letters, syllables and punctuation, full-width and half-width forms.
bool is_cjk(char32_t character);

/// Every letter as its lower-case form where it has one; an invalid byte stays.
std::string lower_case(std::string_view text);

/// The text with everything written out that could drive a terminal, reorder or break a line, or that nobody
/// sees (core/visible.hpp): C0 and DEL as \x1b (tab, newline, return as \t \n \r), others as \u202e, \u200b
/// or \U000e0041, invalid bytes as \xff. A backslash stays as it is.
std::string escape_controls(std::string_view text);

/// The same of each line of the text: its line feeds stay.
std::string escape_controls_in_lines(std::string_view text);

/// The text with its invalid bytes alone written out, \xff: what is valid stays to the byte.
std::string escape_invalid_bytes(std::string_view text);

} // namespace tfx
