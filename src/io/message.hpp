#pragma once
// What a reader says about a file: which bytes of it are UTF-8, text from outside made fit for a message, and
// the refusal. UTF-8 is taken strictly: no overlong form, no surrogate, nothing above U+10FFFF, nothing cut
// off.

#include "core/error.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace tfx {

/// Bytes of the UTF-8 character that starts at `position`, 1 to 4; 0 where the bytes there are no UTF-8, or
/// none are left.
std::size_t utf8_length(std::string_view text, std::size_t position);

/// Whether all of the text is UTF-8.
bool is_utf8(std::string_view text);

/// The code point of one whole character.
char32_t utf8_value(std::string_view character);

/// `text` fit for a message: control characters, those that nobody sees and bytes that are not UTF-8 become
/// \n, \t, \x1b, \u200b …
std::string printable(std::string_view text);

/// The same between quotes, cut between two characters after `max_bytes` bytes: "encoder.layers.0…".
std::string in_quotes(std::string_view text, std::size_t max_bytes = 60);

/// What a message calls a file: its name made printable, "standard input", or one file in another.
class FileName : public Message {
public:
  FileName(const std::string& name);
  FileName(const char* name) : FileName(std::string(name)) {}
  explicit FileName(Message name) : Message(std::move(name)) {}
};

/// Throws Error(bad_data) "FILE: WHAT".
[[noreturn]] void refuse_file(const FileName& file, const Message& what, const Message& hint);

} // namespace tfx
