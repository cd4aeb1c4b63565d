#include "cli/parse.hpp"

#include "core/error.hpp"
#include "text/utf8.hpp"

#include <charconv>

namespace tfx {

std::size_t parse_count(const std::string& option, const std::string& text, std::size_t least,
                        std::size_t most) {
  std::size_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  const bool digits = error == std::errc() && stop == end && (text.size() == 1 || text[0] != '0');
  if (digits && value >= least && value <= most) return value;
  const std::string range = "a whole number from " + std::to_string(least) + " to " + std::to_string(most);
  throw Error(ErrorKind::usage, option + " takes " + range + ", not \"" + escape_controls(text) + "\"");
}

} // namespace tfx
