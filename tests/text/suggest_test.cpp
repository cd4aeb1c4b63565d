#include "support/catch.hpp"
#include "text/names.hpp"

using namespace tfx;

namespace {

const std::vector<std::string> commands{"list",   "explain", "check",  "verify",
                                        "scores", "softmax", "masked", "multi-head"};

std::string suggestion(const std::string& name) {
  return nearest(name, commands).value_or("-");
}

} // namespace

TEST_CASE("a near miss finds its name", "[text]") {
  CHECK(suggestion("explian") == "explain");      // two neighbours swapped: one edit
  CHECK(suggestion("chek") == "check");           // deleted
  CHECK(suggestion("sofftmax") == "softmax");     // inserted
  CHECK(suggestion("verifi") == "verify");        // replaced
  CHECK(suggestion("multihaed") == "multi-head"); // two edits
  CHECK(suggestion("SCORES") == "scores");        // case does not count
  CHECK(suggestion("Lsit") == "list");
  CHECK(nearest("ΣCORE", {"σcores"}) == "σcores"); // beyond ASCII too
}

TEST_CASE("what is far from every name finds none", "[text]") {
  CHECK(suggestion("transform") == "-");
  CHECK(suggestion("expalinn") == "explain");
  CHECK(suggestion("xpalinn") == "-"); // three edits
  CHECK(suggestion("") == "-");
  CHECK(suggestion("ls") == "-");               // two edits are all of this name
  CHECK(nearest("ab", {"ac"}) == std::nullopt); // one edit is half of it
  CHECK(nearest("abc", {"abd"}) == "abd");
  CHECK(nearest("abcd", {"abxy"}) == std::nullopt);
  CHECK(nearest("abcde", {"abcxy"}) == "abcxy");
  CHECK(nearest("anything", {}) == std::nullopt);
}

TEST_CASE("the nearest of several wins, the first of equals", "[text]") {
  CHECK(nearest("W_Q1", {"W_K", "W_Q", "W_Q11"}) == "W_Q");
  CHECK(nearest("scored", {"scares", "scores"}) == "scores");
  CHECK(nearest("heads", {"head", "heads"}) == "heads");
}

TEST_CASE("a very long name costs no time", "[text]") {
  CHECK(suggestion(std::string(1 << 20, 'x')) == "-");
}
