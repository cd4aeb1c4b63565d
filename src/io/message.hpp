#pragma once
// What a reader says about a file: text from outside made fit for a message, and the refusal.

#include <cstddef>
#include <string>
#include <string_view>

namespace tfx {

/// `text` fit for a message: control characters, those that nobody sees and bytes that are not UTF-8 become
/// \n, \t, \x1b, \u200b …
std::string printable(std::string_view text);

/// The same between quotes, cut between two characters after `max_bytes` bytes: "encoder.layers.0…".
std::string in_quotes(std::string_view text, std::size_t max_bytes = 60);

/// Throws Error(bad_data) "FILE: WHAT", the file's name made printable.
[[noreturn]] void refuse_file(const std::string& file, const std::string& what, const std::string& hint);

} // namespace tfx
