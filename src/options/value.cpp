#include "options/value.hpp"

#include "core/number.hpp"
#include "options/parse.hpp"
#include "text/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <limits>

namespace tfx {

namespace {

constexpr std::size_t max_32_bits = std::numeric_limits<std::uint32_t>::max();

std::string digits(std::size_t number) {
  return std::to_string(number);
}

std::string shortest(double number) {
  return format_number(number, 17);
}

/// "a, b" without the blank: how lists are typed.
template <class Range, class Text>
std::string listed(const Range& items, const char* separator, const Text& text) {
  std::string list;
  for (const auto& item : items) list += (list.empty() ? "" : separator) + text(item);
  return list;
}

} // namespace

namespace value {

Value<std::string> text(const std::string& type) {
  return {type, [](const std::string&, const std::string& given) { return given; },
          [](const std::string& kept) { return kept; }};
}

Value<std::size_t> count(std::size_t min, std::size_t max) {
  return {"N",
          [=](const std::string& option, const std::string& given) {
            return parse_count(option, given, min, max);
          },
          digits};
}

Value<std::size_t> id(const std::string& type) {
  Value<std::size_t> any = count(0, max_32_bits);
  any.type = type;
  return any;
}

Value<std::uint32_t> seed() {
  return {"N",
          [](const std::string& option, const std::string& given) {
            return static_cast<std::uint32_t>(parse_count(option, given, 0, max_32_bits));
          },
          digits};
}

Value<double> share(const std::string& type) {
  return {type, parse_share, shortest};
}

Value<double> number(const std::string& type, double min, double max) {
  return {type,
          [=](const std::string& option, const std::string& given) {
            return parse_number(option, given, min, max);
          },
          shortest};
}

Value<double> temperature() {
  return {"T", parse_temperature, shortest};
}

Value<std::vector<std::vector<std::uint32_t>>> ids() {
  const auto written = [](const std::vector<std::vector<std::uint32_t>>& rows) {
    return listed(rows, ";", [](const auto& row) { return listed(row, ",", digits); });
  };
  return {"IDS[;IDS]", parse_ids, written};
}

Value<std::vector<std::vector<std::int64_t>>> labels() {
  const auto written = [](const std::vector<std::vector<std::int64_t>>& rows) {
    return listed(rows, ";", [](const auto& row) {
      return listed(row, ",", [](std::int64_t label) { return std::to_string(label); });
    });
  };
  return {"IDS[;IDS]", parse_labels, written};
}

Value<std::vector<std::string>> names() {
  return {"NAME[,NAME]", parse_names, [](const std::vector<std::string>& kept) {
            return listed(kept, ",", [](const std::string& name) { return name; });
          }};
}

Value<std::string> one_of(const std::vector<std::string>& words) {
  std::vector<std::pair<std::string, std::string>> themselves;
  for (const std::string& word : words) themselves.emplace_back(word, word);
  return choice(std::move(themselves));
}

} // namespace value

} // namespace tfx
