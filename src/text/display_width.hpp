#pragma once
// Text measured and laid out in terminal columns: padded, shortened, wrapped. A CJK character takes two, a
// combining mark none, an ambiguous one (Greek, box drawing, …) takes one. Control characters take none:
// escape_controls() first.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tfx {

/// Columns the text takes. A grapheme takes one or two whatever it is made of, so an emoji family takes two.
/// An invalid byte counts as the one column of its replacement sign.
std::size_t display_width(std::string_view text);

/// The text with blanks on its left (or right) up to so many columns; wider text stays as it is.
std::string pad_left(std::string_view text, std::size_t columns);
std::string pad_right(std::string_view text, std::size_t columns);

/// The text itself if it fits; else as many of its graphemes as fit, and "…". (Not called truncate: POSIX has
/// one, which cuts files, and takes a string literal first.)
std::string shorten(std::string_view text, std::size_t columns);

/// The text as lines of at most so many columns; at least one line, and a newline always starts another.
/// Lines break at spaces, which vanish there, and beside CJK characters, but never before a closing
/// punctuation mark or after an opening one; a last line of a single character is avoided. A word wider than
/// a line is broken between graphemes; one grapheme wider than a line stands alone.
std::vector<std::string> wrap(std::string_view text, std::size_t columns);

} // namespace tfx
