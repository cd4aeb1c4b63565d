#pragma once
// The computed answer of a question, and whether what a learner typed is it.
//
// A number is right where it agrees as far as it was written: half a unit of the last digit typed, at least 1
// % sharp, and never sharper than the screen is: one unit of the last digit shown where that is below 1 %,
// else half. Whole numbers and the entries of a mask are exact.

#include "core/shape.hpp"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tfx {

struct NumberAnswer {
  double value = 0;
  int precision = 4; ///< decimals of the screen
};

struct CountAnswer {
  std::size_t value = 0;
};

struct ShapeAnswer {
  Shape shape;
};

/// 1 may be seen, 0 may not; yes and no, in both languages, say the same.
struct MaskAnswer {
  bool open = false;
};

/// +, −, their names in both languages, or a number that has the sign.
struct SignAnswer {
  bool positive = false;
};

/// Words by their label or their index from 0; of equal ones any is right.
struct WordAnswer {
  std::vector<std::string> labels; ///< of the whole row; empty where they have only indices
  std::size_t count = 0;           ///< words of the row
  std::vector<std::size_t> right;  ///< at least one; they share a label
};

using Answer = std::variant<NumberAnswer, CountAnswer, ShapeAnswer, MaskAnswer, SignAnswer, WordAnswer>;

enum class Verdict {
  right,
  wrong,
  unreadable ///< no answer to such a question at all: a word where a number was asked
};

Verdict judge(const Answer& answer, std::string_view typed);

/// Whether `typed` is the number `value` of a screen with so many decimals.
bool is_number(std::string_view typed, double value, int precision);

/// The position of the word typed: its label, or its index; several where the label stands several times.
std::vector<std::size_t> words_named(const WordAnswer& answer, std::string_view typed);

/// The answer as the program writes it: "0.6667", "9", "4×3", "1", "k3".
std::string text_of(const Answer& answer);

} // namespace tfx
