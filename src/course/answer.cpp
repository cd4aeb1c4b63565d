#include "course/answer.hpp"

#include "core/number.hpp"
#include "course/answer_parser.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

namespace tfx {

namespace {

template <class... Judges>
struct Overloaded : Judges... {
  using Judges::operator()...;
};
template <class... Judges>
Overloaded(Judges...) -> Overloaded<Judges...>;

// The place of the last digit that the screen shows of the value.
double unit_shown(double value, int precision) {
  const std::string text = format_number(value, precision);
  const std::size_t e = text.find('e');
  if (e == std::string::npos) return std::pow(10.0, -precision);
  const std::size_t point = std::min(text.find('.'), e);
  int exponent = 0;
  std::from_chars(text.data() + e + 1 + (text[e + 1] == '+'), text.data() + text.size(), exponent);
  return std::pow(10.0, exponent - (point < e ? static_cast<int>(e - point) - 1 : 0));
}

bool agrees(const TypedNumber& typed, double value, int precision) {
  if (std::isinf(value) || std::isinf(typed.value)) return typed.value == value;
  const double size = std::abs(value), percent = 0.01 * size, unit = unit_shown(value, precision);
  const double sharpest = std::max(unit <= percent ? unit : unit / 2, 1e-9 * size);
  const double tolerance = std::clamp(typed.unit / 2, sharpest, std::max(sharpest, percent));
  return std::abs(typed.value - value) <= tolerance + 1e-12 * std::max(1.0, size);
}

/// Whether it is one of the first words, or of the others.
std::optional<bool> read_either(std::string_view typed, const auto& first, const auto& others) {
  const std::string text = plain_text(typed);
  if (std::ranges::find(first, text) != first.end()) return true;
  if (std::ranges::find(others, text) != others.end()) return false;
  return std::nullopt;
}

std::optional<bool> read_positive(std::string_view typed) {
  static constexpr std::array plus = {"+", "positive", "plus", "正", "正号", "正数"};
  static constexpr std::array minus = {"-", "negative", "minus", "负", "负号", "负数"};
  if (const auto named = read_either(typed, plus, minus)) return named;
  const auto number = read_number(typed);
  return number && number->value != 0 ? std::optional(number->value > 0) : std::nullopt;
}

std::optional<bool> read_mask(std::string_view typed) {
  static constexpr std::array yes = {"yes", "y", "true", "是", "能", "可以"};
  static constexpr std::array no = {"no", "n", "false", "否", "不能", "不可以"};
  if (const auto named = read_either(typed, yes, no)) return named;
  const auto number = read_number(typed);
  if (!number || (number->value != 0 && number->value != 1)) return std::nullopt;
  return number->value == 1;
}

Verdict verdict(bool right) {
  return right ? Verdict::right : Verdict::wrong;
}

} // namespace

bool is_number(std::string_view typed, double value, int precision) {
  const auto number = read_number(typed);
  return number && agrees(*number, value, precision);
}

std::vector<std::size_t> words_named(const WordAnswer& answer, std::string_view typed) {
  std::vector<std::size_t> named;
  for (const auto& spelling : {narrow_text, plain_text}) { // "The" and "the" may both be there
    const std::string text = spelling(typed);
    for (std::size_t i = 0; i < answer.labels.size(); ++i)
      if (spelling(answer.labels[i]) == text) named.push_back(i);
    if (!named.empty()) return named;
  }
  const std::string text = plain_text(typed);
  std::size_t index = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error == std::errc() && stop == text.data() + text.size() && index < answer.count)
    named.push_back(index);
  return named;
}

Verdict judge(const Answer& answer, std::string_view typed) {
  return std::visit(
      Overloaded{
          [&](const NumberAnswer& a) {
            const auto number = read_number(typed);
            return number ? verdict(agrees(*number, a.value, a.precision)) : Verdict::unreadable;
          },
          [&](const CountAnswer& a) {
            const auto number = read_number(typed);
            return number ? verdict(number->value == static_cast<double>(a.value)) : Verdict::unreadable;
          },
          [&](const ShapeAnswer& a) {
            const auto shape = read_shape(typed);
            return shape ? verdict(*shape == a.shape) : Verdict::unreadable;
          },
          [&](const MaskAnswer& a) {
            const auto open = read_mask(typed);
            return open ? verdict(*open == a.open) : Verdict::unreadable;
          },
          [&](const SignAnswer& a) {
            const auto positive = read_positive(typed);
            return positive ? verdict(*positive == a.positive) : Verdict::unreadable;
          },
          [&](const WordAnswer& a) {
            const auto named = words_named(a, typed);
            if (named.empty()) return Verdict::unreadable;
            return verdict(std::ranges::any_of(
                named, [&](std::size_t i) { return std::ranges::find(a.right, i) != a.right.end(); }));
          },
      },
      answer);
}

std::string text_of(const Answer& answer) {
  return std::visit(Overloaded{
                        [](const NumberAnswer& a) { return format_number(a.value, a.precision); },
                        [](const CountAnswer& a) { return std::to_string(a.value); },
                        [](const ShapeAnswer& a) { return to_page_string(a.shape); },
                        [](const MaskAnswer& a) { return std::string(a.open ? "1" : "0"); },
                        [](const SignAnswer& a) { return std::string(a.positive ? "+" : "−"); },
                        [](const WordAnswer& a) { // of equal words the first: they have one label
                          const std::size_t i = a.right.front();
                          return a.labels.empty() ? std::to_string(i) : a.labels[i];
                        },
                    },
                    answer);
}

} // namespace tfx
