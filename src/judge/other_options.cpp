#include "judge/other_options.hpp"

#include <algorithm>

namespace tfx {

std::vector<OtherOptions> other_options(const InputOptions& options, const InputRules& lesson) {
  std::vector<OtherOptions> all;
  const auto add = [&](const OtherOptions& from, const auto& row) {
    for (const std::string& value : row.to_try) {
      const auto given = row.given(from.options);
      const bool is_replaced = std::ranges::any_of(input_options(), [&](const auto& other) {
        return other.given(from.options) && std::ranges::count(other.excluded, row.name);
      });
      if (given ? *given == value : !is_replaced && row.is_usual(value, lesson)) continue;
      OtherOptions other = from;
      other.typed += (other.typed.empty() ? "" : " ") + row.name + (value.empty() ? "" : " " + value);
      row.read(other.options, value);
      if (!first_unfit(input_options(), other.options, lesson)) all.push_back(std::move(other));
    }
  };
  for (const auto& row : input_options()) add({"", options}, row);
  const std::vector<OtherOptions> singles = all; // `all` moves as it grows
  for (const OtherOptions& single : singles)
    for (const auto& row : input_options())
      if (single.typed.starts_with("--norm ") && row.name.starts_with("--norm-")) add(single, row);
  return all;
}

} // namespace tfx
