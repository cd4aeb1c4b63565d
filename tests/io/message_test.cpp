#include "io/message.hpp"

#include "error_of.hpp"
#include "support/catch.hpp"

using namespace tfx;
using namespace std::string_literals;

TEST_CASE("names are printed without driving the terminal", "[io]") {
  CHECK(printable("weights.npy") == "weights.npy");
  CHECK(printable("嵌入 é 😀.npy") == "嵌入 é 😀.npy");
  CHECK(printable("a\nb\tc\rd\x1b[0m\x7f") == "a\\nb\\tc\\rd\\x1b[0m\\x7f");
  CHECK(printable("\xc2\x85 \xe2\x80\xae \xe2\x80\xa8") == "\\u0085 \\u202e \\u2028");
  CHECK(printable("\xff\xc0\xaf\xed\xa0\x80\xf5") == "\\xff\\xc0\\xaf\\xed\\xa0\\x80\\xf5");
  CHECK(printable("\xe5\xb5") == "\\xe5\\xb5");
  CHECK(printable("\0x"s) == "\\x00x");
  CHECK(printable("\\x1b") == "\\x1b");
  CHECK(printable("W\u200b_Q\U000E0041") == "W\\u200b_Q\\U000e0041");
  CHECK(printable("👩\u200d🚀 ❤\ufe0f") == "👩\u200d🚀 ❤\ufe0f");
}

TEST_CASE("a long name is cut between two characters", "[io]") {
  CHECK(in_quotes("a\nb") == "\"a\\nb\"");
  CHECK(in_quotes("") == "\"\"");
  CHECK(in_quotes(std::string(60, 'n')) == "\"" + std::string(60, 'n') + "\"");
  CHECK(in_quotes(std::string(61, 'n')) == "\"" + std::string(60, 'n') + "…\"");
  CHECK(in_quotes("嵌入层", 4) == "\"嵌入…\"");
  CHECK(in_quotes("\xff\xff\xff", 2) == "\"\\xff\\xff…\"");
}

TEST_CASE("a refusal names the file and what to do", "[io]") {
  const Error error =
      error_of([] { refuse_file("a\n.npy", said("the file is empty"), said("save it again")); });
  CHECK(error.kind() == ErrorKind::bad_data);
  CHECK(error.what() == "a\\n.npy: the file is empty"s);
  CHECK(error.hint().in_english() == "save it again");
}
