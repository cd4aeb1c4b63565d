#pragma once
// Strict numbers of the command line: the whole text, digits only, no leading zero, inside the range.

#include "cli/context.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tfx {

/// Throws Error(usage) naming the option for anything but a plain count in [min, max].
std::size_t parse_count(const Context& context, const std::string& option, const std::string& text,
                        std::size_t min, std::size_t max);

/// Throws Error(usage) naming the option for anything but a plain decimal number in [0, 1).
double parse_share(const Context& context, const std::string& option, const std::string& text);

/// Throws Error(usage) naming the option for anything but a number in [min, max]: 0.001 or 1e-3.
double parse_number(const Context& context, const std::string& option, const std::string& text, double min,
                    double max);

/// "1,2,3;4,5": rows of ids. Throws as parse_count does.
std::vector<std::vector<std::uint32_t>> parse_ids(const Context& context, const std::string& option,
                                                  const std::string& text);

} // namespace tfx
