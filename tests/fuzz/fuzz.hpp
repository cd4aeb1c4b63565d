#pragma once
// What the fuzz targets share. A target reads one input as a file and states what must hold of the result;
// libFuzzer (clang) makes the inputs and takes an abort, a sanitizer's finding or any exception for a
// failure.

#include "core/error.hpp"
#include "io/array.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace tfx::fuzz {

/// One file per target defines it. fuzz.cpp calls it, and requires that it takes no more than 64 MB and twice
/// the input of memory.
void one_input(std::string_view bytes);

/// Ends the program with what does not hold.
void require(bool holds, const std::string& what);

/// Requires that a refusal is of an allowed kind, names the file, and can be shown on a terminal.
void require_proper(const Error& refusal, std::initializer_list<ErrorKind> kinds, const std::string& name);

/// What a reader of files makes of its input; nothing where it refuses, as a reader of files may.
template <class Read>
auto read_or_refuse(const std::string& name, const Read& read) -> std::optional<decltype(read())> {
  try {
    return read();
  } catch (const Error& refusal) {
    require_proper(refusal, {ErrorKind::bad_data, ErrorKind::no_memory}, name);
    return std::nullopt;
  }
}

/// Bit for bit, but that all NaN are the same.
inline bool same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

inline bool same(const Tensor& a, const Tensor& b) {
  return a.shape == b.shape && std::equal(a.data.begin(), a.data.end(), b.data.begin(), b.data.end(),
                                          [](double x, double y) { return same(x, y); });
}

} // namespace tfx::fuzz
