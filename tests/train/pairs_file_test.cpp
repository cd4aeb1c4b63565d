#include "train/pairs_file.hpp"

#include "io/error_of.hpp"
#include "support/address_space.hpp"
#include "support/catch.hpp"

using namespace tfx;
using namespace std::literals;

namespace {

void check_refused(const std::string& bytes, const std::string& message) {
  INFO("file: " << bytes);
  const Error error =
      check_error(ErrorKind::bad_data, "bad.tsv: " + message, [&] { read_pairs(bytes, "bad.tsv"); });
  CHECK_FALSE(error.hint().empty());
  for (const char c : std::string(error.what())) CHECK(static_cast<unsigned char>(c) >= 0x20);
}

} // namespace

TEST_CASE("pairs are read a line each, whatever ends the line", "[train]") {
  for (const std::string& text :
       {"I love you\t我爱你\nhi\t你好\n"s, "\uFEFFI love you\t我爱你\r\nhi\t你好\r\n"s,
        "I love you\t我爱你\rhi\t你好"s, "I love you\t我爱你\nhi\t你好\n\n \r\n\n"s}) {
    const std::vector<Pair> pairs = read_pairs(text, "pairs.tsv");
    REQUIRE(pairs.size() == 2);
    CHECK(pairs[0].source == "I love you");
    CHECK(pairs[0].target == "我爱你");
    CHECK(pairs[1].source == "hi");
    CHECK(pairs[1].target == "你好");
  }
}

TEST_CASE("quotes, commas and marks of a comment are text like any other", "[train]") {
  const std::vector<Pair> pairs = read_pairs("\"Hello,\" he said\t\"你好\n# 1; 2\tx", "pairs.tsv");
  REQUIRE(pairs.size() == 2);
  CHECK(pairs[0].source == "\"Hello,\" he said");
  CHECK(pairs[0].target == "\"你好");
  CHECK(pairs[1].source == "# 1; 2");
}

TEST_CASE("a bad file of pairs is refused with its line and column", "[train]") {
  check_refused("", "line 1, column 1: the file is empty");
  check_refused("\n \r\n", "line 1, column 1: the file is empty");
  check_refused("\uFEFF", "line 1, column 1: the file is empty");
  check_refused("\na\tb\n", "line 1, column 1: a blank line stands between the pairs");
  check_refused("a\tb\r\n\r\nc\td\r\n", "line 2, column 1: a blank line stands between the pairs");
  check_refused("a\tb\n\t\nc\td\n", "line 2, column 1: a blank line");
  check_refused("a\tb\nc d\n", "line 2, column 1: no TAB stands in \"c d\"");
  check_refused("a,b\n", "line 1, column 1: no TAB stands in \"a,b\"");
  check_refused("a\tb\nc\td\te\tf\n", "line 2, column 3: this line has 4 cells, a pair has 2");
  check_refused("a\tb\t\n", "line 1, column 3: this line has 3 cells");
  check_refused("a\tb\n\td\n", "line 2, column 1: the source is blank");
  check_refused("a\tb\nc\t\n", "line 2, column 2: the target is blank");
  check_refused("a\tb\nc\t\u3000 \n", "line 2, column 2: the target is blank");
  check_refused("a\tb\nc\x1b[31m\td\n", "line 2, column 1: the text holds the control character \\x1b");
  check_refused("a\tb\u202e\n", "line 1, column 2: the text holds the control character \\u202e");
  check_refused("a\tb\u2028c\n", "line 1, column 2: the text holds the control character \\u2028");
  check_refused("a\x7f\tb\n", "line 1, column 1: the text holds the control character \\x7f");
  check_refused("a\tb\nc\td\0\n"s, "line 2, column 4: byte 7 of the file is NUL");
  check_refused("a\tb\nc\t\xC4\xE3\n", "line 2, column 3: byte 6 of the file (0xc4) is not UTF-8 text");
  check_refused("a\tb\nc\t\xED\xA0\x80\n", "line 2, column 3: byte 6 of the file (0xed) is not UTF-8");
  check_refused("a\t\xE4\xBD", "line 1, column 3: byte 2 of the file (0xe4) is not UTF-8");
  check_refused("\t\n", "line 1, column 1: the file is empty");
  check_refused("a\tb\r\rc\td\r", "line 2, column 1: a blank line stands between the pairs");
  check_refused("a\tb\n\"c\td\"\te\n", "line 2, column 3: this line has 3 cells, a pair has 2");
  check_refused("a\tb\n\u3000\td\n", "line 2, column 1: the source is blank");
  check_refused("a\u009b31m\tb\n", "line 1, column 1: the text holds the control character \\u009b");
  check_refused("a\tb\u2066\n", "line 1, column 2: the text holds the control character \\u2066");
  check_refused("a\t\bb\n", "line 1, column 2: the text holds the control character \\x08");
  check_refused("a\vb\tc\n", "line 1, column 1: the text holds the control character \\x0b");
  check_refused("\xFF\xFE\x61\0\t\0"s, "line 1, column 1: byte 0 of the file (0xff) is not UTF-8 text");
  check_refused("\x1F\x8B\x08", "line 1, column 2: byte 1 of the file (0x8b) is not UTF-8 text");
  check_refused("PK\3\4\x14\0"s, "line 1, column 6: byte 5 of the file is NUL");
  check_refused("a\t\xC0\xAF\n", "line 1, column 3: byte 2 of the file (0xc0) is not UTF-8 text");
  check_refused("a\t\xF4\x90\x80\x80\n", "line 1, column 3: byte 2 of the file (0xf4) is not UTF-8 text");
  check_refused(std::string(5000, 'x') + "\x1b",
                "line 1, column 1: no TAB stands in \"" + std::string(40, 'x') + "…\"");
}

#ifdef NDEBUG // a sanitizer ends the process where memory is refused
TEST_CASE("pairs that take more memory than there is are refused before they are read", "[train]") {
  std::string text;
  while (text.size() < (std::size_t{16} << 20)) text += "a\tb\n";
  const FreedMemoryTaken taken;
  const AddressSpaceLimit limit(std::size_t{64} << 20);
  check_error(ErrorKind::no_memory, "reading big.tsv", [&] { read_pairs(text, "big.tsv"); });
}
#endif

TEST_CASE("every prefix of a file of pairs is read or refused with its name", "[train]") {
  const std::string whole = "\uFEFFI am\t我\r\nyou are\t你\r\n";
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    try {
      const std::size_t count = read_pairs(whole.substr(0, length), "x.tsv").size();
      CHECK((count == 1 || count == 2));
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::bad_data);
      CHECK_THAT(error.what(), Catch::Matchers::StartsWith("x.tsv: line "));
    }
  }
}
