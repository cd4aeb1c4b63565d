#pragma once
// What a learner typed, as numbers, arithmetic (10/sqrt(3), 2×3 − √2) and shapes. Full-width digits and
// punctuation of Chinese input methods count as what they stand for. Any bytes may come: nothing here throws.

#include "core/shape.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace tfx {

/// Numbers, + − · × * / ^ **, brackets, sqrt √ exp ln log abs, e and π; in lower case, ASCII forms of
/// full-width characters and without white space (course/answer_parser.hpp). Nothing where it is no such
/// arithmetic, where its value is no finite number, or where brackets are nested deeper than a learner types.
std::optional<double> calculated(std::string_view text);

/// Full-width forms as ASCII, × as x, − as -, ideographic points and commas as ASCII; without white space at
/// both ends; bytes that are no UTF-8 stay as they are.
std::string narrow_text(std::string_view typed);

/// The same in lower case.
std::string plain_text(std::string_view typed);

/// A number as it was typed. `unit` is the place of its last digit: 0.01 of "0.67" and of "67%", 0 of a
/// fraction or of arithmetic, which are exact.
struct TypedNumber {
  double value = 0;
  double unit = 0;
  bool percent = false;
};

/// "0.67", "2/3", "66.7 %", "1e-3", "-inf", "−∞", "1,234", "0,5"; a leading = or ≈ does not matter. A comma
/// is a point unless it separates thousands. Arithmetic is exact too: "10/sqrt(3)", "e^0.2/(e^0.2 + 1)"
/// (course/answer_parser.hpp). Nothing where it is none, or is divided by 0.
std::optional<TypedNumber> read_number(std::string_view typed);

/// "4x3", "(4, 3)", "4×3", "[4 3]", "4", "(4,)", "torch.Size([4, 3])"; "()" and "scalar" are no axes at all.
std::optional<Shape> read_shape(std::string_view typed);

} // namespace tfx
