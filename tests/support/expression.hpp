#pragma once
// A pocket calculator: what a learner would type the arithmetic of an explanation into.

#include <string>

namespace tfx {

/// The value of plain arithmetic: numbers (inf and nan too), + - · / ^, parentheses, exp ln sqrt erf max(a,
/// b, …), and "… 12 (0.5)" for twelve terms left out whose sum is 0.5. Throws std::invalid_argument with the
/// position where the text is no such arithmetic.
double calculate(const std::string& text);

} // namespace tfx
