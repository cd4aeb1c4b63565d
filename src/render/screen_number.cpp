#include "render/screen_number.hpp"

#include "core/number.hpp"

#include <string_view>

namespace tfx {

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

} // namespace tfx
