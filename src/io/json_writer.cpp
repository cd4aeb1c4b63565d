#include "io/json_writer.hpp"

#include "core/visible.hpp"
#include "io/message.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <utility>

namespace tfx {

namespace {

/// The escape JSON needs for an ASCII character; empty where the character stands for itself.
std::string_view short_escape(char character) {
  switch (character) {
  case '"': return "\\\"";
  case '\\': return "\\\\";
  case '\b': return "\\b";
  case '\f': return "\\f";
  case '\n': return "\\n";
  case '\r': return "\\r";
  case '\t': return "\\t";
  default: return {};
  }
}

} // namespace

void JsonWriter::place() {
  if (std::exchange(after_key_, false) || has_members_.empty()) return;
  if (has_members_.back()) text_ += ',';
  has_members_.back() = true;
  if (has_members_.size() == 1) text_ += "\n  ";
}

void JsonWriter::begin(char bracket) {
  place();
  text_ += bracket;
  has_members_.push_back(false);
}

void JsonWriter::end(char bracket) {
  assert(!has_members_.empty() && !after_key_);
  if (has_members_.size() == 1 && has_members_.back()) text_ += '\n';
  has_members_.pop_back();
  text_ += bracket;
}

void JsonWriter::key(std::string_view name) {
  assert(!has_members_.empty() && !after_key_);
  place();
  append_string(name);
  text_ += has_members_.size() == 1 ? ": " : ":";
  after_key_ = true;
}

void JsonWriter::value(std::string_view text) {
  place();
  append_string(text);
}

void JsonWriter::value(double number) {
  place();
  append_number(number);
}

void JsonWriter::value(bool truth) {
  place();
  text_ += truth ? "true" : "false";
}

void JsonWriter::value(std::size_t number) {
  place();
  fmt::format_to(std::back_inserter(text_), FMT_COMPILE("{}"), number);
}

void JsonWriter::value(std::int64_t number) {
  place();
  fmt::format_to(std::back_inserter(text_), FMT_COMPILE("{}"), number);
}

void JsonWriter::null() {
  place();
  text_ += "null";
}

namespace {

// A header of 80 bytes can ask for two thousand million rows without a cell: so many are one empty list.
constexpr double max_empty_lists = 1e6;

/// Of the axes before the first that has no cells.
double count_of_lists(const Shape& shape) {
  double count = 1;
  for (const std::size_t extent : shape) {
    if (extent == 0) break;
    count *= static_cast<double>(extent);
  }
  return count;
}

} // namespace

void JsonWriter::tensor(const Tensor& tensor) {
  assert(tensor.size() == element_count(tensor.shape));
  place();
  if (tensor.size() == 0 && count_of_lists(tensor.shape) > max_empty_lists) {
    text_ += "[]";
    return;
  }
  const double* cell = tensor.data.data();
  append_cells(tensor, 0, cell);
}

void JsonWriter::append_cells(const Tensor& tensor, std::size_t axis, const double*& cell) {
  if (axis == tensor.rank()) return append_number(*cell++);
  text_ += '[';
  for (std::size_t i = 0; i < tensor.shape[axis]; ++i) {
    if (i > 0) text_ += ',';
    append_cells(tensor, axis + 1, cell);
  }
  text_ += ']';
}

std::string JsonWriter::take() {
  assert(has_members_.empty() && !after_key_);
  return std::exchange(text_, {});
}

void JsonWriter::append_string(std::string_view text) {
  text_ += '"';
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text, i);
    const std::string_view character = text.substr(i, std::max<std::size_t>(length, 1));
    i += character.size();
    if (length == 0)
      text_ += "\uFFFD";
    else if (const auto escape = length == 1 ? short_escape(character[0]) : ""; !escape.empty())
      text_ += escape;
    else if (const char32_t value = utf8_value(character); drives_a_terminal(value)) // or JSON forbids it
      fmt::format_to(std::back_inserter(text_), "\\u{:04x}", static_cast<std::uint32_t>(value));
    else
      text_ += character;
  }
  text_ += '"';
}

void JsonWriter::append_number(double number) {
  if (std::isnan(number))
    text_ += "\"NaN\"";
  else if (std::isinf(number))
    text_ += number > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  else {
    char digits[32]; // the longest double, -2.2250738585072014e-308, has 24
    text_.append(digits, fmt::format_to(digits, FMT_COMPILE("{}"), number));
    constexpr double first_with_exponent = 1e16; // fmt writes smaller whole numbers as integers
    if (std::abs(number) < first_with_exponent && number == std::trunc(number)) text_ += ".0";
  }
}

} // namespace tfx
