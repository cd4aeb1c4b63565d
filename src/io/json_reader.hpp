#pragma once
// A small JSON document, as configurations are: read whole, under limits that hold before memory is taken. A
// key that stands twice is refused, since programs differ in which of the two they take.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tfx {

struct JsonValue {
  enum class Kind { null, boolean, integer, number, text, list, object };

  Kind kind = Kind::null;
  bool truth = false; ///< of a boolean
  std::uint64_t integer =
      0; ///< of an integer: a whole number from 0 to 2⁶⁴ − 1, written without point or exponent
  double number = 0;                   ///< of an integer, and of every other number
  std::string text = {};               ///< of a text; of a number that is no integer, as it is written
  std::vector<JsonValue> items = {};   ///< of a list
  std::vector<std::string> names = {}; ///< of an object, in their order
  std::vector<JsonValue> values = {};  ///< one a name; a pair would hold a type that is not complete

  bool is(Kind wanted) const { return kind == wanted; }
  /// The member of an object; nullptr where there is none of that name, or this is no object.
  const JsonValue* find(std::string_view name) const;
};

constexpr std::size_t max_json_values = 100'000, max_json_depth = 64;

/// The document of the file `bytes`, which may begin with a byte order mark; `name` is the file's in
/// messages. Throws Error(bad_data) where it is no JSON, a key stands twice in one object, it holds NUL or a
/// number beyond a double, more than max_json_values values or an object within more than max_json_depth
/// others; Error(no_memory) where it does not fit.
JsonValue read_json(std::string_view bytes, const std::string& name);

/// What a value is, for a message: 12, "text", null, true, a list, an object.
std::string described(const JsonValue& value);

} // namespace tfx
