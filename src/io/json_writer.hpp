#pragma once
// JSON, written as it comes: the same bytes in every locale. The members of the outermost object or array
// stand on lines of their own, everything below is compact. The caller keeps keys, values and nesting in
// order (asserted).

#include "core/tensor.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tfx {

class JsonWriter {
public:
  void begin_object() { begin('{'); }
  void end_object() { end('}'); }
  void begin_array() { begin('['); }
  void end_array() { end(']'); }

  /// The name of the next member of an object.
  void key(std::string_view name);

  /// Invalid UTF-8 becomes U+FFFD, a character for every bad byte.
  void value(std::string_view text);
  void value(const char* text) { value(std::string_view(text)); }
  /// The shortest text that reads back as the same double: 2.0, -0.0, 1e+300; JSON has no other name for NaN
  /// and the infinities than the strings "NaN", "Infinity", "-Infinity".
  void value(double number);
  void value(bool truth);
  void value(std::size_t number);
  void value(std::int64_t number);
  void value(std::uint32_t number) { value(std::size_t{number}); }
  void null();
  /// null where there is none.
  template <class Value>
  void value(const std::optional<Value>& one) {
    one ? value(*one) : null();
  }
  void text_or_null(std::string_view text) { text.empty() ? null() : value(text); }
  /// A list, of lists too.
  template <class Value>
  void value(const std::vector<Value>& list) {
    begin_array();
    for (const Value& one : list) value(one);
    end_array();
  }
  /// Whichever it is.
  template <class... Values>
  void value(const std::variant<Values...>& one) {
    std::visit([this](const auto& held) { this->value(held); }, one);
  }

  /// Nested lists of the cells: (2, 3) → [[…],[…]], a scalar for rank 0; [] where a million
  /// rows and more have no cells.
  void tensor(const Tensor& tensor);

  /// Room for so many bytes from here on.
  void reserve(std::size_t bytes) { text_.reserve(text_.size() + bytes); } // coverage: of large runs

  /// The finished text, without a newline at its end. The writer is as new afterwards.
  std::string take();
  /// What is there of a text that goes on: a long one need not be kept whole.
  std::string take_begun() { return std::exchange(text_, {}); }

private:
  void begin(char bracket);
  void end(char bracket);
  void place(); ///< what stands before a value or a key: comma, line break
  void append_string(std::string_view text);
  void append_number(double number);
  void append_cells(const Tensor& tensor, std::size_t axis, const double*& cell);

  std::string text_;
  std::vector<bool> has_members_; ///< one for each open object or array
  bool after_key_ = false;
};

} // namespace tfx
