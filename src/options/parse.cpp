#include "options/parse.hpp"

#include "core/number.hpp"
#include "words/in_words.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

namespace tfx {

std::size_t parse_count(const std::string& option, const std::string& text, std::size_t min,
                        std::size_t max) {
  std::size_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  const bool digits = error == std::errc() && stop == end && (text.size() == 1 || text[0] != '0');
  if (digits && value >= min && value <= max) return value;
  throw usage_error(
      "count",
      {{"name", option}, {"least", std::to_string(min)}, {"most", std::to_string(max)}, {"text", text}});
}

namespace {

/// As a program's literals are: 0.5, .5, +2, 1.; in `general` form perhaps with an exponent; without a
/// leading zero that says nothing.
std::optional<double> plain_number(std::string_view text, std::chars_format form) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, form);
  const auto begins_as_number = [&] { return text[0] == '.' || (text[0] >= '0' && text[0] <= '9'); };
  if (error != std::errc() || stop != end || !begins_as_number()) return std::nullopt;
  if (text[0] == '0' && text.size() > 1 && text[1] != '.') return std::nullopt;
  return value;
}

} // namespace

double parse_share(const std::string& option, const std::string& text) {
  const std::optional<double> value = plain_number(text, std::chars_format::fixed);
  if (value && *value < 1) return *value;
  throw usage_error("share", {{"name", option}, {"text", text}});
}

double parse_number(const std::string& option, const std::string& text, double min, double max) {
  const std::optional<double> value = plain_number(text, std::chars_format::general);
  if (value && *value >= min && *value <= max) return *value;
  throw usage_error(
      "number",
      {{"name", option}, {"least", format_number(min, 3)}, {"most", format_number(max, 3)}, {"text", text}});
}

double parse_temperature(const std::string& option, const std::string& text) {
  constexpr double least = 0.001, most = 1000;
  if (plain_number(text, std::chars_format::general) ==
      0.0) // the limit of ever sharper draws: no draw at all
    throw usage_error("temperature_zero", {{"name", option},
                                           {"least", format_number(least, 3)},
                                           {"most", format_number(most, 3)},
                                           {"text", text}});
  return parse_number(option, text, least, most);
}

namespace {

/// "1,2;3" as rows of what `read` makes of each entry.
template <class Id, class Read>
std::vector<std::vector<Id>> rows_of_ids(const std::string& text, Read&& read) {
  std::vector<std::vector<Id>> rows(1);
  std::string id;
  const auto finish = [&] {
    const std::size_t first = id.find_first_not_of(' '), last = id.find_last_not_of(' ');
    rows.back().push_back(read(first == std::string::npos ? "" : id.substr(first, last - first + 1)));
    id.clear();
  };
  for (const char c : text) {
    if (c != ',' && c != ';') {
      id += c;
      continue;
    }
    finish();
    if (c == ';') rows.emplace_back();
  }
  finish();
  return rows;
}

std::uint32_t parse_id(const std::string& option, const std::string& digits) {
  return static_cast<std::uint32_t>(
      parse_count(option, digits, 0, std::numeric_limits<std::uint32_t>::max()));
}

} // namespace

std::vector<std::vector<std::uint32_t>> parse_ids(const std::string& option, const std::string& text) {
  return rows_of_ids<std::uint32_t>(text, [&](const std::string& id) { return parse_id(option, id); });
}

std::vector<std::vector<std::int64_t>> parse_labels(const std::string& option, const std::string& text) {
  return rows_of_ids<std::int64_t>(text, [&](const std::string& id) -> std::int64_t {
    if (id == "-100" || id == "-1") return std::stoi(id);
    return parse_id(option, id);
  });
}

std::vector<std::string> parse_names(const std::string& option, const std::string& list) {
  std::vector<std::string> names;
  for (std::size_t start = 0; start <= list.size();) {
    const std::size_t end = std::min(list.find(',', start), list.size());
    if (end > start) names.push_back(list.substr(start, end - start));
    start = end + 1;
  }
  if (names.empty()) throw usage_error("names", {{"name", option}});
  return names;
}

} // namespace tfx
