#pragma once
// Strict numbers of the command line: the whole text, digits only, no leading zero, inside the range.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tfx {

/// Throws Error(usage) naming the option for anything but a plain count in [min, max].
std::size_t parse_count(const std::string& option, const std::string& text, std::size_t min, std::size_t max);

/// Throws Error(usage) naming the option for anything but a plain decimal number in [0, 1).
double parse_share(const std::string& option, const std::string& text);

/// Throws Error(usage) naming the option for anything but a number in [min, max]: 0.001 or 1e-3.
double parse_number(const std::string& option, const std::string& text, double min, double max);

/// A number in [0.001, 1000]. Throws Error(usage) naming the option, and for 0 what a draw at 0 would be.
double parse_temperature(const std::string& option, const std::string& text);

/// "1,2,3;4,5": rows of ids. Throws as parse_count does.
std::vector<std::vector<std::uint32_t>> parse_ids(const std::string& option, const std::string& text);

/// The same, with -100 and -1 among them.
std::vector<std::vector<std::int64_t>> parse_labels(const std::string& option, const std::string& text);

/// "Q,K": at least one name, else Error(usage).
std::vector<std::string> parse_names(const std::string& option, const std::string& list);

} // namespace tfx
