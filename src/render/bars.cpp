#include "render/bars.hpp"

#include "text/display_width.hpp"

#include <algorithm>
#include <cmath>

namespace tfx {

std::vector<std::string> bars(const std::vector<Bar>& all, const Style& style) {
  std::size_t names = 0, texts = 0;
  double low = 0, high = 0;
  for (const Bar& bar : all) {
    names = std::max(names, display_width(style.symbols(bar.name)));
    texts = std::max(texts, display_width(style.symbols(bar.text)));
    if (!(bar.value > 0)) continue;
    low = low > 0 ? std::min(low, bar.value) : bar.value;
    high = std::max(high, bar.value);
  }
  constexpr std::size_t gaps = 4, max_bar = 40;
  const std::size_t taken = names + texts + gaps;
  const std::size_t room = std::clamp<std::size_t>(style.width > taken ? style.width - taken : 1, 1, max_bar);
  std::vector<std::string> lines;
  for (const Bar& bar : all) {
    std::size_t length = 0;
    if (bar.value > 0) {
      const double share = high > low ? std::log(bar.value / low) / std::log(high / low) : 1;
      length = 1 + static_cast<std::size_t>(std::lround(share * static_cast<double>(room - 1)));
    }
    std::string drawn;
    for (std::size_t i = 0; i < length; ++i) drawn += style.ascii ? "#" : "█";
    lines.push_back(pad_right(style.symbols(bar.name), names) + "  " + drawn + (length ? "  " : "") +
                    style.symbols(bar.text));
  }
  return lines;
}

} // namespace tfx
