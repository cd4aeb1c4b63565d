// Options in random combinations: whatever stands together, a command line ends with a status that the
// documentation has, says what it refuses, takes no memory beyond its estimate, and swallows nothing.

#include "core/blas.hpp"
#include "input/tutorials.hpp"
#include "support/address_space.hpp"
#include "support/catch.hpp"
#include "support/option_combinations.hpp"

#include <algorithm>
#include <iostream>
#include <set>

namespace tfx {

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

bool has_option(const CommandLine& line, const std::string& name) {
  return std::ranges::any_of(line.options,
                             [&](const GivenOption& given) { return given.option.name == name; });
}

/// Whether the refusal says which option it means: by its name, its value, or what it stands for ("the text
/// …", "文本…").
bool names_an_option(const CommandLine& line, const std::string& refusal) {
  return contains(refusal, "--") || std::ranges::any_of(line.options, [&](const GivenOption& given) {
           return contains(refusal, "the " + given.option.name.substr(2)) ||
                  (given.option.name == "--text" && contains(refusal, "文本")) ||
                  (!given.value.empty() && contains(refusal, given.value)) ||
                  (given.option.type.starts_with("NAME") && contains(given.value, ",")); // one of its names
         });
}

/// Whether it is a lesson's own command.
bool shows_lesson(const CommandLine& line) {
  return line.lesson && line.command == words_of(line.lesson->typed);
}

/// What is wrong with the end of it; empty where nothing is.
std::string fault(const CommandLine& line, const Ran& ran) {
  std::set<int> documented{0, 1, 2, 65, 66, 71};
  if (has_option(line, "--save")) documented.insert(73);
  if (!documented.contains(ran.status)) return "status " + std::to_string(ran.status);
  if (contains(ran.err, "internal error")) return "an internal error";
  if (ran.status <= 1) return ran.out.empty() && !has_option(line, "--quiet") ? "no screen" : "";
  if (!ran.out.empty()) return "a refusal has a screen";
  if (!ran.err.starts_with("tfx: ")) return "a refusal without a message";
  const bool estimated = contains(ran.err, " needs about ") || contains(ran.err, "大约需要") ||
                         contains(ran.err, "a count of about ") || contains(ran.err, "没有机器存得下");
  if (ran.status == 71 && !estimated) return "memory ran out, and no estimate said so";
  if (ran.status == 2 && shows_lesson(line) && !names_an_option(line, ran.err))
    return "a refusal that names no option";
  return "";
}

bool is_input(const GivenOption& given) {
  return std::ranges::any_of(input_options(), [&](const auto& row) { return row.name == given.option.name; });
}

bool has_one_tutorial(const Lesson& lesson) {
  return std::ranges::count_if(runs(), [&](const Run& run) { return run.fits(lesson); }) == 1;
}

/// What holds in some runs anyway, and may be said; what is to become of a row that sees nothing, if there is
/// one; the width of the values, which only mistakes read before the lesson that mixes them; and the tutorial
/// of a lesson that has no other.
bool may_confirm(const GivenOption& given, const Lesson& lesson) {
  const std::string& name = given.option.name;
  return given.option.type.empty() || name == "--on-masked-row" || name == "--d-v" ||
         (name == "--tutorial" && has_one_tutorial(lesson));
}

/// An option of a lesson's run without which, and with any other value, all is as it is; empty where there is
/// none.
std::string swallowed(CommandLine line, OptionCombinations& combinations) {
  std::erase_if(line.options, [](const GivenOption& given) { return !is_input(given); });
  for (const char* flag : {"--json", "--no-time"}) line.options.push_back({{flag, ""}, ""});
  const Ran ran = run_command_line(line.arguments());
  for (std::size_t i = 0; i + 2 < line.options.size(); ++i) {
    const GivenOption& given = line.options[i];
    if (may_confirm(given, *line.lesson)) continue;
    CommandLine other = line;
    other.options.erase(other.options.begin() + static_cast<std::ptrdiff_t>(i));
    if (run_command_line(other.arguments()) != ran) continue;
    const std::vector<std::string> values = combinations.other_values(line, given);
    const bool matters = std::ranges::any_of(values, [&](const std::string& value) {
      other = line, other.options[i].value = value;
      return run_command_line(other.arguments()) != ran;
    });
    if (!matters) return given.option.name;
  }
  return "";
}

/// Looks for what each `nth` lesson's run swallows.
void try_combinations(std::uint32_t seed, std::size_t count, std::size_t nth) {
  OptionCombinations combinations(seed);
  std::map<int, std::size_t> ends;
  for (std::size_t i = 0; i < count; ++i) {
    const CommandLine line = combinations.next();
    INFO(line.text());
    const Ran ran = run_command_line(line.arguments());
    ++ends[ran.status];
    const std::string wrong = fault(line, ran);
    if (!wrong.empty()) FAIL_CHECK(wrong << ": " << ran.err);
    if (ran.status > 1 || !shows_lesson(line) || i % nth != 0) continue;
    const std::string lost = swallowed(line, combinations);
    if (!lost.empty()) FAIL_CHECK(lost << " is swallowed");
  }
  for (const int status : {0, 1, 2, 65, 66}) {
    INFO("status " << status);
    CHECK(ends[status] > count / 200);
  }
}

} // namespace

TEST_CASE("two thousand combinations of options end as they should", "[cli][combinations][repeats]") {
  try_combinations(1, 2'000, 4);
}

// In two parts, which run side by side.
TEMPLATE_TEST_CASE_SIG("a hundred thousand combinations of options end as they should",
                       "[.][extended][combinations]", ((std::uint32_t seed), seed), 2, 3) {
  constexpr std::size_t count = 50'000;
  try_combinations(seed, count, 10);
  std::cout << "count combinations of options tried with seed " << seed << ' ' << count << "\n";
}

TEST_CASE("combinations that were defects once", "[cli][combinations]") {
  const std::vector<std::vector<std::string>> lines{
      {"break", "softmax", "--grad"},    {"break", "cross", "--grad"},
      {"masked", "--pad", "0"},          {"explain", "masked", "weights", "1", "0", "--pad", "0"},
      {"break", "masked", "--pad", "0"}, {"break", "cross", "--pad", "3", "--text", "a b"}};
  for (const std::vector<std::string>& line : lines) {
    CAPTURE(line);
    const Ran ran = run_command_line(line);
    CHECK(ran.status == 0);
    CHECK(!ran.out.empty());
  }
  const auto drawn_by = [](const char* init) { // at a tutorial's sizes, by an init of one's own
    return run_command_line(
               {"qkv", "--tutorial", "annotated:1", "--batch", "2", "--init", init, "--json", "--no-time"})
        .out;
  };
  CHECK(drawn_by("he") != drawn_by("xavier-uniform"));
  const TemporaryFolder folder;
  const std::string file = folder.path("masked.npz");
  REQUIRE(run_command_line({"masked", "--quiet", "--save", file}).status == 0);
  CHECK(run_command_line({"check", "masked", file, "--pad", "0"}).status == 0);
  for (const std::vector<std::string>& quiz : {std::vector<std::string>{"quiz", "masked", "--pad", "0"},
                                               {"quiz", "loss", "--batch", "1", "--count", "50"}}) {
    const Ran ran = run_command_line(quiz); // nothing is answered
    CHECK(ran.status == 1);
    CHECK(ran.err.empty());
  }
}

TEST_CASE("a refusal that did not name its option once does", "[cli][combinations]") {
  const Ran labels = run_command_line({"loss", "--text", "a b", "--labels", "1,27"});
  CHECK(labels.status == 2);
  CHECK(contains(labels.err, "--labels: label 27 (token 1) is outside the vocabulary"));
  CHECK(contains(run_command_line({"loss", "--lang=en", "--text", ""}).err, "the text"));
  CHECK(contains(run_command_line({"loss", "--lang=zh", "--text", ""}).err, "文本"));
}

TEST_CASE("to name the only tutorial of a lesson confirms it", "[cli][combinations]") {
  OptionCombinations combinations(4);
  const auto lost = [&](const char* lesson, const GivenOption& given) {
    return swallowed({{lesson}, lesson_named(lesson), {given}}, combinations);
  };
  CHECK(lost("cross", {{"--tutorial", "ID[:VARIANT]"}, "happy-llm"}).empty());
  CHECK(lost("masked", {{"--tutorial", "ID[:VARIANT]"}, "fun-transformer"}).empty());
}

TEST_CASE("the seed of a quiz and of --step chooses questions, whatever is drawn", "[cli][combinations]") {
  const TemporaryFolder folder;
  const std::string x = folder.write("x.csv", "1,2\n3,4\n");
  CHECK(run_command_line({"words", "--x", x, "--seed", "7"}).status == 2);
  CHECK(run_command_line({"words", "--x", x, "--seed", "7", "--step"}).status == 0);
  const Ran seven = run_command_line({"quiz", "words", "--x", x, "--seed", "7"});
  CHECK(seven.status == 1);
  CHECK(seven.out != run_command_line({"quiz", "words", "--x", x, "--seed", "8"}).out);
}

TEST_CASE("a run in little memory is answered or its estimate refuses it", "[cli][combinations][repeats]") {
  reserve_blas_memory(); // 128 MB of addresses, once a process
  RandomInput random(3);
  std::map<int, std::size_t> ends;
  for (int i = 0; i < 180; ++i) {
    const auto size = [&] { return std::to_string(random.size(1, random.coin() ? 60 : 600)); };
    const Lesson& lesson = page_lessons()[random.size(0, page_lessons().size() - 1)];
    std::vector<std::string> line = words_of(lesson.typed);
    line.push_back("--quiet");
    for (const auto& row : input_options())
      if (row.type == "N" && row.is_for(lesson) && row.name != "--heads" && row.name != "--seed" &&
          random.coin())
        line.push_back(row.name + "=" + size());
    CAPTURE(line);
    const Ran ran = [&] {
      const FreedMemoryTaken taken;
      const AddressSpaceLimit limit(64 << 20);
      return run_command_line(line);
    }();
    ++ends[ran.status];
    if (ran.status == 71) CHECK(contains(ran.err, " needs about "));
    CHECK(ran.status != 70);
  }
  CHECK(ends[0] > 5);
  CHECK(ends[71] > 5);
}

} // namespace tfx
