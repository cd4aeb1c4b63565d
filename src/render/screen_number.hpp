#pragma once
// Numbers as a screen writes them: as format_number does, but with the infinities of the tables, ∞ and −∞
// (Style::symbols makes them inf and -inf where only ASCII may be used).

#include <string>

namespace tfx {

std::string screen_number(double value, int precision);

/// Plain arithmetic, which has "inf" and "-inf", in the same spelling. It holds no words that could contain
/// "inf".
std::string screen_arithmetic(std::string text);

} // namespace tfx
