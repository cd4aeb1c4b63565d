// Rosters as spreadsheets and editors leave them, and those that are told.

#include "cli/grade/roster.hpp"
#include "core/error.hpp"
#include "support/catch.hpp"

using namespace tfx;

namespace {

std::string roster(const std::string& text) {
  std::string all;
  for (const Student& one : parse_roster(text, "class.csv"))
    all += one.id + " " + (one.seed ? std::to_string(*one.seed) : "-") +
           (!one.language                   ? ""
            : *one.language == Language::zh ? " zh"
                                            : " en") +
           "|";
  return all;
}

std::string told(const std::string& text) {
  try {
    return "read: " + roster(text);
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::bad_data);
    CHECK_FALSE(error.hint().empty());
    return error.message().in_english();
  }
}

} // namespace

TEST_CASE("a roster is read with any separator, end of line and order of columns", "[grade]") {
  const std::string wanted = "ada 7 en|li 8 zh|";
  CHECK(roster("id,seed,lang\nada,7,en\nli,8,zh\n") == wanted);
  CHECK(roster("ada,7,en\nli,8,zh") == wanted);
  CHECK(roster("id;seed;lang\r\nada;7;en\r\nli;8;zh\r\n") == wanted);
  CHECK(roster("id\tseed\tlang\rada\t7\ten\rli\t8\tzh\r") == wanted);
  CHECK(roster("\xEF\xBB\xBFid,seed,lang\nada,7,en\n\n,,\nli,8,zh\n\n") == wanted);
  CHECK(roster("sep=;\r\nid;seed;lang\r\nada;7;en\r\nli;8;zh\r\n") == wanted);
  CHECK(
      roster("\"name\";\"Lang\";\"ID\";\"seed\"\n\"Lovelace; \"\"Ada\"\"\";en;\"ada\";\"7\"\n\"Li\nHua\";ZH; "
             "li ;8\n") == wanted);
  CHECK(roster("name,group,lang,id,seed\n李,1,en,ada,7\n王,2,zh,li,8\n") == wanted);
}

TEST_CASE("a seed and a language may be left out", "[grade]") {
  CHECK(roster("ada\nli\n") == "ada -|li -|");
  CHECK(roster("id\nada\n") == "ada -|");
  CHECK(roster("id,seed,lang\nada,,zh\nli,0\nbo,4294967295,\n") == "ada - zh|li 0|bo 4294967295|");
  CHECK(roster("lang,id\nzh,ada\n") == "ada - zh|");
}

TEST_CASE("a roster that cannot be read is told where and why", "[grade]") {
  CHECK(told("") == "class.csv names nobody");
  CHECK(told("id,seed\n") == "class.csv names nobody");
  CHECK(told("a,1\n../x,1\n") == "class.csv, line 2: \"../x\" cannot be the name of a hand-in");
  CHECK(told("a,1\r\n,2\r\n") == "class.csv, line 2: \"\" cannot be the name of a hand-in");
  CHECK(told("a,1\rb,-2\r") == "class.csv, line 2: \"-2\" is no seed");
  CHECK(told("a,4294967296\n") == "class.csv, line 1: \"4294967296\" is no seed");
  CHECK(told("a,1\nb,2\na,3\n") == "class.csv, line 3: a stands there twice");
  CHECK(told("a,1,de\n") == "class.csv, line 1: \"de\" is neither en nor zh");
  CHECK(told("name,id\n\"x\ny\",a\nz,a\n") == "class.csv, line 4: a stands there twice");
  CHECK(told("id,id\na,b\n") == "class.csv, line 1: two columns are called id");
  CHECK(told("id,seed\n\"a,1\nb,2\n") == "class.csv, line 2: a quote begins here and does not end");
  CHECK(told("id,name\na,b\nb,\xC0\xEE\n") == "class.csv, line 3: this is no UTF-8");
}
