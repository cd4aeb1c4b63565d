#include "text/words.hpp"

#include "support/catch.hpp"

using namespace tfx;

namespace {

std::optional<std::string> value_of(const std::string& name) {
  if (name == "n") return "3";
  if (name == "empty") return "";
  return std::nullopt;
}

} // namespace

TEST_CASE("words are sections of Markdown", "[text][words]") {
  const Words words =
      Words::parse("a comment\n## title\nevery query\n\n## look.1\n\nTwo lines\nof text.\n\n## none\n");
  REQUIRE(words.find("title"));
  CHECK(*words.find("title") == "every query");
  CHECK(*words.find("look.1") == "Two lines\nof text.");
  CHECK(words.find("none")->empty());
  CHECK_FALSE(words.find("look"));
  CHECK(words.sections().size() == 3);
  CHECK(Words::parse("").sections().empty());
  CHECK(*Words::parse("## k\nno newline at the end").find("k") == "no newline at the end");
}

TEST_CASE("common words fill what a lesson lacks", "[text][words]") {
  Words own = Words::parse("## a\nmine\n");
  own.add(Words::parse("## a\nyours\n## b\ncommon\n"));
  own.add(Words::parse("## one.a\nfirst\n## other.a\nsecond\n"), "one.");
  CHECK(*own.find("a") == "mine");
  CHECK(*own.find("b") == "common");
  CHECK(*own.find("one.a") == "first");
  CHECK_FALSE(own.find("other.a"));
}

TEST_CASE("a sentence is filled with numbers, or left out", "[text][words]") {
  CHECK(fill_in("{n} of {n} cells", value_of) == "3 of 3 cells");
  CHECK(fill_in("no names", value_of) == "no names");
  CHECK(fill_in("{empty}", value_of) == "");
  CHECK(fill_in("", value_of) == "");
  CHECK(fill_in("{n} and {nothing}", value_of) == std::nullopt);
  CHECK(fill_in("an open { stays", value_of) == "an open { stays");
}
