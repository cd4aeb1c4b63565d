#pragma once
// Who is in a class: a text table "id,seed" or "id,seed,lang", with or without that header. An id is the name
// of the student's file, so it is a plain one.

#include "words/in_words.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tfx {

struct Student {
  std::string id;
  std::uint32_t seed = 0;
  std::optional<Language> language;
};

/// Throws Error(bad_data) naming the line: an id that is no plain name or stands twice, a seed that is no
/// number, another language, no student at all.
std::vector<Student> parse_roster(std::string_view text, const std::string& file);

} // namespace tfx
