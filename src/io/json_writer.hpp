#pragma once
// JSON, written as it comes: the same bytes in every locale. The members of the outermost object or array
// stand on lines of their own, everything below is compact. The caller keeps keys, values and nesting in
// order (asserted).

#include "core/tensor.hpp"

#include <cstdint>
#include <string>
#include <string_view>
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
  void null();

  /// Nested lists of the cells: (2, 3) → [[…],[…]], a scalar for rank 0.
  void tensor(const Tensor& tensor);

  /// The finished text, without a newline at its end. The writer is as new afterwards.
  std::string take();

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
