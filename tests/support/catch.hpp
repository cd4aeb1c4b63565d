#pragma once
// Catch2 v2 (Debian 12, Ubuntu 22.04) and v3 (later) have different headers, and another name for one
// matcher; every test includes this one, and uses the names of v3.
#if __has_include(<catch2/catch.hpp>)
#include <catch2/catch.hpp>
namespace Catch::Matchers {
inline auto ContainsSubstring(const std::string& text) {
  return Contains(text);
}
} // namespace Catch::Matchers
#else
#include <catch2/catch_all.hpp>
using Catch::Approx;
#endif
