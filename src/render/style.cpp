#include "render/style.hpp"

#include "core/number.hpp"
#include "text/display_width.hpp"

#include <fmt/format.h>

#include <array>
#include <iterator>
#include <string_view>
#include <utility>

namespace tfx {

namespace {

// What the screens use beyond ASCII. Words of the learner are data and stay as they are.
constexpr std::array<std::pair<const char*, const char*>, 58> spellings = {{
    {"°", " deg"},   {"·", "*"},   {"×", "x"},   {"ᵀ", "^T"},        {"√", "sqrt "},  {"π", "pi"},
    {"→", "->"},     {"−", "-"},   {"∞", "inf"}, {"Σ ", "sum "},     {"Σ", "sum "},   {"≤", "<="},
    {"≥", ">="},     {"≠", "!="},  {"…", "..."}, {"✓", "ok"},        {"✗", "FAIL"},   {"‖", "|"},
    {"²", "^2"},     {"∧", "and"}, {"⇒", "=>"},  {"µ", "u"},         {"₁", "1"},      {"₂", "2"},
    {"│", "|"},      {"─", "-"},   {"┌", "+"},   {"┐", "+"},         {"└", "+"},      {"┘", "+"},
    {"—", "-"},      {"–", "-"},   {"“", "\""},  {"”", "\""},        {"’", "'"},      {"█", "#"},
    {"▓", "#"},      {"▒", "+"},   {"░", "."},   {"ˣ", "^x"},        {"⋮", ":"},      {"∈", "in"},
    {"≈", "~"},      {"ε", "eps"}, {"⊙", "*"},   {"⌊", "floor("},    {"⌋", ")"},      {"←", "<-"},
    {"±", "+-"},     {"∂", "d"},   {"⁹", "^9"},  {"\u0302", "_hat"}, {"Δ", "delta "}, {"β", "beta"},
    {"λ", "lambda"}, {"ᵗ", "^t"},  {"Φ", "Phi"}, {"σ", "sigma"},
}};

} // namespace

std::string Style::paint(const char* code, const std::string& text) const {
  return color == Color::none || text.empty() ? text : "\x1b[" + std::string(code) + "m" + text + "\x1b[0m";
}

std::string Style::bold(const std::string& text) const {
  return paint("1", text);
}
std::string Style::dim(const std::string& text) const {
  return paint("2", text);
}
std::string Style::good(const std::string& text) const {
  return paint("32", text);
}
std::string Style::bad(const std::string& text) const {
  return paint("1;31", text);
}

std::string Style::symbols(const std::string& text) const {
  if (!ascii) return text;
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    bool replaced = false;
    if (static_cast<unsigned char>(text[i]) >= 0x80)
      for (const auto& [from, to] : spellings)
        if (text.compare(i, std::string_view(from).size(), from) == 0) {
          result += to;
          i += std::string_view(from).size();
          replaced = true;
          break;
        }
    if (!replaced) result += text[i++];
  }
  return result;
}

std::string Style::mark(const std::string& mark) const {
  if (!ascii) return mark;
  return mark == "✓" ? "+" : mark == "·" ? "." : mark == "→" ? ">" : mark;
}

std::string Style::shortened(const std::string& text, std::size_t columns) const {
  const std::string whole = symbols(text);
  if (!ascii || display_width(whole) <= columns) return shorten(whole, columns);
  constexpr std::size_t dots = 2; // "..." is two columns wider than "…"
  return symbols(shorten(whole, columns > dots ? columns - dots : columns));
}

std::string screen_number(double value, int precision) {
  return screen_arithmetic(format_number(value, precision));
}

std::string screen_arithmetic(std::string text) {
  const auto replace = [&](std::string_view from, std::string_view to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
      text.replace(at, from.size(), to);
  };
  replace("-inf", "−∞");
  replace("inf", "∞");
  return text;
}

std::string short_count(double count) {
  constexpr const char* units[] = {"", " k", " M", " G", " T", " P", " E"};
  std::size_t unit = 0;
  while (count >= 999.5 && unit + 1 < std::size(units)) count /= 1000, ++unit;
  return fmt::format("{:.3g}{}", count, units[unit]);
}

} // namespace tfx
