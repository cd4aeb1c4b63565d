// An option as a row: what it reads, whether it was given, how it is typed again, whom it is for.

#include "options/option.hpp"

#include "core/error.hpp"
#include "support/catch.hpp"

using namespace tfx;

namespace {

enum class Side { left, right };
enum class Trip { there, back };

struct Journey {
  std::optional<std::size_t> days;
  std::string to;
  std::optional<Side> side;
  double share = 0.5;
  std::string pace = "walk";
  bool alone = false;
};

bool is_there(const Trip& trip) {
  return trip == Trip::there;
}

const std::vector<Option<Journey, Trip>>& journey_options() {
  using O = Journey;
  using Row = Option<O, Trip>;
  static const std::vector<Row> table{{"--days", &O::days, value::count(1, 9)},
                                      Row("--to", &O::to, value::text("PLACE")).when(is_there),
                                      {"--left", &O::side, Side::left},
                                      {"--right", &O::side, Side::right},
                                      {"--share", &O::share, value::share("S")},
                                      {"--pace", &O::pace, value::one_of({"walk", "run"})},
                                      {"--alone", &O::alone}};
  return table;
}

const Option<Journey, Trip>& row(const std::string& name) {
  for (const auto& one : journey_options())
    if (one.name == name) return one;
  throw std::logic_error("no " + name);
}

} // namespace

TEST_CASE("a row reads its value into its member and refuses others by its name") {
  Journey journey;
  row("--days").read(journey, "3");
  row("--pace").read(journey, "run");
  row("--right").read(journey, "");
  CHECK(journey.days == 3u);
  CHECK(journey.pace == "run");
  CHECK(journey.side == Side::right);
  for (const auto& [name, text] : {std::pair("--days", "10"), {"--pace", "fly"}, {"--share", "1"}}) {
    try {
      row(name).read(journey, text);
      FAIL(name << " takes " << text);
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::usage);
      CHECK(std::string(error.what()).find(name) == 0);
    }
  }
}

TEST_CASE("what was given is typed again in the order of the table, quoted, and nothing else") {
  Journey journey;
  CHECK(typed_again(journey_options(), journey).empty());
  journey.alone = true, journey.to = "the sea", journey.side = Side::left, journey.share = 0.25;
  CHECK(typed_again(journey_options(), journey) == " --to 'the sea' --left --share 0.25 --alone");
}

TEST_CASE("a value with a dash before it is typed again in the word of its option") {
  Journey journey;
  journey.to = "--alone";
  CHECK(typed_again(journey_options(), journey) == " --to=--alone");
  journey.to = "-x y";
  CHECK(typed_again(journey_options(), journey) == " --to='-x y'");
  journey.to = "-"; // standard input
  CHECK(typed_again(journey_options(), journey) == " --to -");
}

TEST_CASE("an option that is not for the subject is found, and left out where it has to be") {
  Journey journey;
  journey.days = 2, journey.to = "town";
  CHECK(first_unfit(journey_options(), journey, Trip::there) == nullptr);
  REQUIRE(first_unfit(journey_options(), journey, Trip::back) != nullptr);
  CHECK(first_unfit(journey_options(), journey, Trip::back)->name == "--to");
  CHECK(typed_again(journey_options(), fitting(journey_options(), journey, Trip::back)) == " --days 2");
}

TEST_CASE("a row that is for a subject beside another option alone is unfit without it") {
  using Row = Option<Journey, Trip>;
  const auto is_back = [](const Trip& trip) { return trip == Trip::back; };
  const std::vector<Row> table{
      {"--days", &Journey::days, value::count(1, 9)},
      Row("--to", &Journey::to, value::text("PLACE")).when(is_there).also(is_back, "--days")};
  Journey journey;
  journey.to = "town";
  CHECK(table[1].is_for(Trip::back));
  CHECK(table[1].needed_for(Trip::there).empty());
  CHECK(table[1].needed_for(Trip::back) == std::vector<std::string>{"--days"});
  CHECK(first_unfit(table, journey, Trip::there) == nullptr);
  REQUIRE(first_unfit(table, journey, Trip::back) != nullptr);
  CHECK(fitting(table, journey, Trip::back).to.empty());
  journey.days = 2;
  CHECK(first_unfit(table, journey, Trip::back) == nullptr);
  CHECK(fitting(table, journey, Trip::back).to == "town");
}

TEST_CASE("a row says what may not stand beside it, what has to, and whose words describe it") {
  using Row = Option<Journey>;
  const Row alone = Row("--alone", &Journey::alone).without({"--to"}).beside({"--days"}).described("other");
  CHECK(alone.excluded == std::vector<std::string>{"--to"});
  CHECK(alone.needed == std::vector<std::string>{"--days"});
  CHECK(alone.words == "other");
  CHECK(
      Row("--to", &Journey::to, value::text("PLACE")).described("key", {{"names", "a"}}).facts.at("names") ==
      "a");
  CHECK(alone.type.empty());
  CHECK(Row("--days", &Journey::days, value::id("ID")).type == "ID");
}
