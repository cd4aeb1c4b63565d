// Numbers and lists of ids of the command line, and numbers written as text.
#include "core/number.hpp"
#include "fuzz.hpp"
#include "options/parse.hpp"

#include <cstdlib>
#include <cstring>

namespace tfx::fuzz {

namespace {

template <class Read>
auto taken(const Read& read) -> std::optional<decltype(read())> {
  try {
    return read();
  } catch (const Error& refusal) {
    // What the learner typed is made safe where a message is printed.
    require(refusal.kind() == ErrorKind::usage, std::string("a refusal of another kind: ") + refusal.what());
    return std::nullopt;
  }
}

std::string written(const std::vector<std::vector<std::uint32_t>>& rows) {
  std::string text;
  for (const auto& row : rows) {
    text += text.empty() ? "" : ";";
    for (std::size_t i = 0; i < row.size(); ++i) text += (i ? "," : "") + std::to_string(row[i]);
  }
  return text;
}

void check_double(double value) {
  const std::string text = format_number(value, 17);
  const double again = std::strtod(text.c_str(), nullptr);
  require(again == value || same(again, value), "17 digits read back as the same double: " + text);
  for (const int precision : {0, 4, 10})
    require(!format_number(value, precision).empty(), "a number has digits");
}

} // namespace

void one_input(std::string_view bytes) {
  const std::string text(bytes);
  if (const auto count = taken([&] { return parse_count("--n", text, 1, 1'000'000'000); }))
    require(std::to_string(*count) == text && *count >= 1 && *count <= 1'000'000'000,
            "a count is its digits");
  if (const auto share = taken([&] { return parse_share("--p", text); }))
    require(*share >= 0 && *share < 1, "a share lies in [0, 1)");
  if (const auto number = taken([&] { return parse_number("--r", text, 0, 1e6); })) {
    require(*number >= 0 && *number <= 1e6, "a number lies in its range");
    require(same(parse_number("--r", format_number(*number, 17), 0, 1e6), *number), "and comes back");
  }
  if (const auto rows = taken([&] { return parse_ids("--src", text); }))
    require(parse_ids("--src", written(*rows)) == *rows, "ids come back");
  double value = 0;
  if (bytes.size() >= sizeof value) {
    std::memcpy(&value, bytes.data(), sizeof value);
    check_double(value);
  }
}

} // namespace tfx::fuzz
