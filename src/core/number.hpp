#pragma once
// Numbers as text for a reader.

#include <string>

namespace tfx {

/// Of a double that reads back as the same.
inline constexpr int all_digits = 17;

/// At most `precision` decimals, trailing zeros dropped; scientific where a value would lose all its digits
/// or needs more than seven before the point; "nan", "inf", "-inf". With 17, the text reads back as the same
/// double, but for −0, which is "0".
std::string format_number(double value, int precision);

/// 1234567 → "1,234,567".
std::string with_separators(std::size_t value);

/// 1.28e12 → "1.28 TB": three digits, in powers of 1000; "640 bytes".
std::string format_bytes(double bytes);

/// 0.415 → "41.5 %".
std::string percent(double share);

/// 0.00012345 → "0.0001235" with 4: so many digits that count, at least one, where decimals would leave few
/// of a small number.
std::string significant(double value, int digits);

/// 1.2e-6 → "1.2 µs".
std::string format_seconds(double seconds);

} // namespace tfx
