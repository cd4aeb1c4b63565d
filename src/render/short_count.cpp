#include "render/short_count.hpp"

#include <fmt/format.h>

#include <iterator>

namespace tfx {

std::string short_count(double count) {
  constexpr const char* units[] = {"", " k", " M", " G", " T", " P", " E"};
  std::size_t unit = 0;
  while (count >= 999.5 && unit + 1 < std::size(units)) count /= 1000, ++unit;
  return fmt::format("{:.3g}{}", count, units[unit]);
}

} // namespace tfx
