#pragma once
// Catch2 v2 (Debian 12, Ubuntu 22.04) and v3 (later) have different headers; every test includes this one.
#if __has_include(<catch2/catch.hpp>)
#include <catch2/catch.hpp>
#else
#include <catch2/catch_all.hpp>
using Catch::Approx;
#endif
