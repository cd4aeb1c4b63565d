#pragma once
// Files of texts, one a line, as commands take them.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tfx {

class Error;

/// The file's name in a message or on a screen; "-" is standard input.
std::string shown_file(const std::string& file);

/// The lines of a text, without their ends, LF or CRLF, and without a byte order mark; views of it.
std::vector<std::string_view> lines_of(std::string_view text);

/// Inside a catch: throws Error(bad_data) with the line, the first being 1, before what was refused. An error
/// that is not of what was written there goes on as it is.
[[noreturn]] void refuse_line(const std::string& file, std::size_t line, const Error& error);

} // namespace tfx
