// The calculator that the tests of explanations trust.

#include "support/expression.hpp"

#include "support/catch.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

using namespace tfx;

TEST_CASE("the calculator knows the order of operations", "[expression]") {
  CHECK(calculate("2") == 2);
  CHECK(calculate("1 + 2·3") == 7);
  CHECK(calculate("(1 + 2)·3") == 9);
  CHECK(calculate("10 - 3 - 2") == 5);
  CHECK(calculate("8 / 2 / 2") == 2);
  CHECK(calculate("-2^2") == -4);
  CHECK(calculate("(-2)^2 + (-1)·3") == 1);
  CHECK(calculate("1 - (-1.5)") == 2.5);
  CHECK(calculate("1e-05·2") == 2e-5);
}

TEST_CASE("the calculator has the functions of an explanation", "[expression]") {
  CHECK(calculate("sqrt(3^2 + 4^2)") == 5);
  CHECK(calculate("exp(1 - 1) / (exp(0) + exp(0))") == 0.5);
  CHECK(calculate("-(0.5·ln(0.5) + 0)") == Approx(0.5 * std::log(2)));
  CHECK(calculate("max(-3, -inf, -1.5)") == -1.5);
  CHECK(calculate("max(7)") == 7);
  CHECK(calculate("sin(0) + cos(0)") == 1);
  CHECK(calculate("3 / 10000^(2·1/4)") == Approx(0.03));
  CHECK(calculate("exp(-inf - 2)") == 0);
  CHECK(calculate("-inf") == -std::numeric_limits<double>::infinity());
  CHECK(std::isnan(calculate("0·inf")));
  CHECK(std::isnan(calculate("nan·2")));
}

TEST_CASE("the calculator counts what an explanation leaves out", "[expression]") {
  CHECK(calculate("1 + … 12 (0.5)") == 1.5);
  CHECK(calculate("sqrt(9 + … 3 (7))") == 4);
}

TEST_CASE("the calculator refuses what is no arithmetic", "[expression]") {
  for (const char* text : {"", "1 +", "2 2", "(1", "foo(1)", "1 = 2", "… 4", "max()"}) {
    INFO(text);
    CHECK_THROWS_AS(calculate(text), std::invalid_argument);
  }
}
