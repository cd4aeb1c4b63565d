#include "train/chinese.hpp"

#include "core/error.hpp"
#include "train/english.hpp"

#include <array>

namespace tfx {

namespace {

constexpr std::array digits{"零", "一", "二", "三", "四", "五", "六", "七", "八", "九"};
constexpr auto two_of = "两";

struct Unit {
  std::uint32_t value;
  const char* name;
};
constexpr std::array<Unit, 4> units{{{1000, "千"}, {100, "百"}, {10, "十"}, {1, ""}}};
constexpr std::array<Unit, 3> groups{{{100'000'000, "亿"}, {10'000, "万"}, {1, ""}}};

/// 1 … 9999; zeros before its first digit are the caller's.
std::string spell_group(std::uint32_t n) {
  std::string text;
  bool gap = false;
  for (const Unit& unit : units) {
    const std::uint32_t digit = n / unit.value % 10;
    if (digit == 0) {
      gap = !text.empty();
      continue;
    }
    if (gap) text += digits[0];
    gap = false;
    text += digit == 2 && unit.value == 1000 ? two_of : digits[digit];
    text += unit.name;
  }
  return text;
}

} // namespace

std::string spell_chinese(std::uint32_t n) {
  if (n > max_spelled)
    throw usage(said("{number} has more than nine digits", {{"number", n}}),
                said("numbers are spelled up to {most}", {{"most", max_spelled}}));
  if (n == 0) return digits[0];
  std::string text;
  bool gap = false;
  for (const Unit& unit : groups) {
    const std::uint32_t group = n / unit.value % 10'000;
    gap = !text.empty() && (gap || group < 1000);
    if (group == 0) continue;
    if (gap) text += digits[0];
    gap = false;
    text += group == 2 && unit.value > 1 ? two_of : spell_group(group);
    text += unit.name;
  }
  const std::string ten = units[2].name, one_ten = digits[1] + ten;
  return text.starts_with(one_ten) ? text.substr(one_ten.size() - ten.size()) : text;
}

std::string chinese_number_characters() {
  std::string text;
  for (const char* digit : digits) text += digit;
  text += two_of;
  for (const Unit& unit : units) text += unit.name;
  for (const Unit& unit : groups) text += unit.name;
  return text;
}

} // namespace tfx
