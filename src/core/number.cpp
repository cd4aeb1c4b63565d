#include "core/number.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace tfx {

std::string format_number(double value, int precision) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  if (value == 0) return "0";
  if (precision >= 17)
    return fmt::format("{}",
                       value == std::round(value) && std::abs(value) < 1e15 ? std::round(value) : value);
  const double size = std::abs(value);
  std::string text;
  if (size >= 1e7 && value != std::round(value))
    text = fmt::format("{:.{}e}", value, precision);
  else if (size >= 1e15 || (size < std::pow(10.0, -precision) * 0.5 && size > 0))
    text = fmt::format("{:.1e}", value);
  else
    text = fmt::format("{:.{}f}", value, precision);
  if (text.find('e') == std::string::npos && text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text;
}

std::string with_separators(std::size_t value) {
  std::string text = std::to_string(value);
  for (std::size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, 1, ',');
  return text;
}

std::string format_bytes(double bytes) {
  static constexpr const char* units[] = {"bytes", "kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB"};
  std::size_t unit = 0;
  for (; bytes >= 999.5 && unit + 1 < std::size(units); ++unit) bytes /= 1000;
  return fmt::format("{:.3g} {}", bytes, units[unit]);
}

std::string percent(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

std::string significant(double value, int digits) {
  return fmt::format("{:.{}g}", value, std::max(digits, 1));
}

std::string format_seconds(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.1f} µs", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.1f} ms", seconds * 1e3);
  return fmt::format("{:.2f} s", seconds);
}

} // namespace tfx
