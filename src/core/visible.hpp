#pragma once
// Which characters a screen shows as themselves. Others are written out, \x1b, \u200b or \U000e0041: so no
// text from outside drives a terminal, and no two words that differ look the same because of what cannot be
// seen.

#include <string>
#include <string_view>

namespace tfx {

/// The text behind the byte order mark that editors put before UTF-8, if it has one: it is no part of the
/// text.
std::string_view without_byte_order_mark(std::string_view text);

/// Whether a terminal obeys the code point instead of showing it: controls, line separators and what turns
/// the reading direction around.
bool drives_a_terminal(char32_t code_point);

/// Whether the character is seen between its neighbours (0 where there is none; what was written out before
/// it counts as the escape's last letter). Never seen are blanks without width, soft hyphens, fillers, tags,
/// and variants of a letter. What joins two characters stays between those it joins, emoji and letters of
/// scripts whose letters join: 👩‍🚀, می‌روم. The sign for "as an emoji" or "as text" stays
/// behind a sign that has both forms: ❤️, 1️⃣.
bool is_seen(char32_t before, char32_t character, char32_t after);

/// A code point written out: \n, \t, \r, \x1b, \u200b, \U000e0041.
std::string written_out(char32_t code_point);

} // namespace tfx
