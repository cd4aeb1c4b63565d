#pragma once
// A roster: who is in a class. A text table as a spreadsheet or an editor leaves it: commas, semicolons or
// tabs, quotes, any end of line, a mark of the byte order. With a header its columns may stand in any order
// and others beside them; without one they are id, seed, lang. An id is the name of the student's file, so it
// is a plain one.

#include "words/in_words.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tfx {

struct Student {
  std::string id;
  std::optional<std::uint32_t> seed; ///< of the numbers that are the student's own
  std::optional<Language> language;
};

/// Throws Error(bad_data) naming the line: bytes that are no UTF-8, a quote that does not end, an id that is
/// no plain name or stands twice, a seed that is no number, another language, no student at all.
std::vector<Student> parse_roster(std::string_view text, const std::string& file);

} // namespace tfx
