#include "course/answer_parser.hpp"

#include "support/catch.hpp"

#include <cmath>
#include <limits>

namespace tfx {

namespace {

// The number, NaN where the text is none.
double number(const std::string& text) {
  const auto read = read_number(text);
  return read ? read->value : std::numeric_limits<double>::quiet_NaN();
}

bool is_none(const std::string& text) {
  return !read_number(text);
}

std::string shape(const std::string& text) {
  const auto read = read_shape(text);
  return read ? to_string(*read) : "none";
}

} // namespace

TEST_CASE("numbers are read as learners write them", "[course][reading]") {
  CHECK(number("10") == 10);
  CHECK(number(" -0.25 ") == -0.25);
  CHECK(number("+3") == 3);
  CHECK(number(".5") == 0.5);
  CHECK(number("1e-3") == 0.001);
  CHECK(number("2.5E+2") == 250);
  CHECK(number("2/3") == Approx(2.0 / 3));
  CHECK(number("-1 / 4") == -0.25);
  CHECK(number("1.5/-3") == -0.5);
  CHECK(number("66.7 %") == Approx(0.667));
  CHECK(number("= 8") == 8);
  CHECK(number("(-8)") == -8);
  CHECK(number("1,234,567") == 1234567);
  CHECK(number("1,234.5") == 1234.5);
  CHECK(number("0,5") == 0.5);
  CHECK(number("12,34") == 12.34);
  CHECK(number("-inf") == -std::numeric_limits<double>::infinity());
  CHECK(number("−∞") == -std::numeric_limits<double>::infinity());
  CHECK(number("负无穷") == -std::numeric_limits<double>::infinity());
}

TEST_CASE("arithmetic is an answer, as exact as a fraction", "[course][reading]") {
  CHECK(number("10/sqrt(3)") == Approx(5.773502691896258));
  CHECK(number("10 / √3") == Approx(5.773502691896258));
  CHECK(number("= (1 + 2)·(3 − 4)") == -3);
  CHECK(number("2×3") == 6);
  CHECK(number("-2^2") == -4);
  CHECK(number("2^-1") == 0.5);
  CHECK(number("2**3**2") == 512);
  CHECK(number("7 - 2 - 1") == 4);
  CHECK(number("8/4/2") == 1);
  CHECK(number("e^0.2/(e^0.2 + exp(1))") == Approx(0.31002551887));
  CHECK(number("ln(e)") == 1);
  CHECK(number("ABS(-1.5)·100%") == 1.5);
  CHECK(number("（１＋２）×３") == 9);
  CHECK(read_number("10/sqrt(4)")->unit == 0);
  for (const char* text : {"sqrt", "sqrt 3", "sqrt()", "sqrt(-1)", "(1", "1)", "1 +", "* 2", "1/0", "2 3x",
                           "exp(1000)", "10^1000", "system(1)", "1;2", "√", "x"})
    CHECK(is_none(text));
  CHECK(is_none(std::string(100'000, '(')));
  CHECK(is_none(std::string(100'000, '-')));
}

TEST_CASE("a Chinese input method's digits and punctuation count", "[course][reading]") {
  CHECK(number("０．６６７") == 0.667);
  CHECK(number("０。６７") == 0.67);
  CHECK(number("２／３") == Approx(2.0 / 3));
  CHECK(number("６６．７％") == Approx(0.667));
  CHECK(number("－１０") == -10);
  CHECK(number("　７　") == 7);
  CHECK(number("１，２３４") == 1234);
  CHECK(shape("（４，３）") == "(4, 3)");
  CHECK(shape("４ｘ３") == "(4, 3)");
  CHECK(shape("【２、４】") == "(2, 4)");
}

TEST_CASE("what is no number is none", "[course][reading]") {
  for (const char* text :
       {"",    " ",      "?",   "k3",    "1 2x", "1/0",   "1/",    "/2",   "1e",    "0x10", "1e999",
        "nan", "1,23,4", ",5,", "1.2.3", "%",    "inf/2", "1/inf", "\xff", "１２a", "()"})
    CHECK(is_none(text));
  CHECK(is_none(std::string(4000, '(')));
  CHECK(is_none(std::string("1\0", 2)));
}

TEST_CASE("the last digit typed says how sharp a number is", "[course][reading]") {
  CHECK(read_number("0.67")->unit == Approx(0.01));
  CHECK(read_number("67 %")->unit == Approx(0.01));
  CHECK(read_number("1.5e-3")->unit == Approx(1e-4));
  CHECK(read_number("12")->unit == 1);
  CHECK(read_number("2/3")->unit == 0);
}

TEST_CASE("shapes are read as NumPy, PyTorch and people write them", "[course][reading]") {
  for (const char* text : {"4x3", "4×3", "4 x 3", "(4, 3)", "(4,3)", "[4, 3]", "4,3", "4 3", "4*3", "(4x3)",
                           "= 4×3", "torch.Size([4, 3])", "4X3"})
    CHECK(shape(text) == "(4, 3)");
  CHECK(shape("(4,)") == "(4,)");
  CHECK(shape("4") == "(4,)");
  CHECK(shape("2x4x3") == "(2, 4, 3)");
  CHECK(shape("()") == "()");
  CHECK(shape("scalar") == "()");
  for (const char* text : {"", "x", "4x", "x3", "4xx3", "(4, 3", "4, 3)", "4.5x3", "-4x3", "4;3", "abc",
                           "99999999999999999999x2", "4(3)", "\xff"})
    CHECK(shape(text) == "none");
}

} // namespace tfx
