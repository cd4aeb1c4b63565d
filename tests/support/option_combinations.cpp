#include "support/option_combinations.hpp"

#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/manual/completion.hpp"
#include "io/npy.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <limits>

namespace tfx {

namespace {

using Names = std::vector<std::string>;

const Names commands{"explain", "check", "break", "quiz"};

const Names texts{"a b",
                  "the cat sat on the mat",
                  "a a a",
                  "cat",
                  "你好 世界 你好",
                  "",
                  "    ",
                  "\x1b[31m red",
                  "🙂 e\u0301 , .",
                  "a b c d e f g h i j k l m n o",
                  "--text"};
const Names shares{"0", "0.1", "0.5", "0.75", "0.999999", "0.000001", "1", "nan"};

/// Whether what the option names is written.
bool writes(const OfferedOption& option) {
  return option.name == "--save";
}

} // namespace

Names CommandLine::arguments() const {
  Names all = command;
  for (const GivenOption& given : options) {
    all.push_back(given.option.name + (given.option.type.empty() ? "" : "=" + given.value));
    if (!given.option.type.empty() && given.value.empty()) all.back() = given.option.name, all.emplace_back();
  }
  return all;
}

std::string CommandLine::text() const {
  std::string line = "tfx";
  for (const std::string& argument : arguments()) line += " " + shell_quoted(argument);
  return line;
}

std::vector<OfferedOption> offered_options(const std::string& command) {
  Context context;
  CLI::App app("", "tfx");
  add_commands(app, context);
  CLI::App& named = *app.get_subcommand(command);
  declare(named, context);
  std::vector<OfferedOption> all;
  for (const CLI::App* level : {&named, &app})
    for (const CLI::Option* option : level->get_options())
      if (!option->get_positional() && option != level->get_help_ptr() && option != level->get_version_ptr())
        all.push_back({"--" + option->get_single_name(),
                       option->get_items_expected_max() > 0 ? option->get_type_name() : ""});
  return all;
}

OptionCombinations::OptionCombinations(std::uint32_t seed) : random_(seed), cases_(own_cases(folder_)) {
  const std::vector<LessonCase> tutorials = tutorial_cases();
  cases_.insert(cases_.end(), tutorials.begin(), tutorials.end());
  write_files();
}

// Beside those that fit together, what learners have: their own results, one row, one number, odd shapes, bad
// cells.
void OptionCombinations::write_files() {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(),
                   inf = std::numeric_limits<double>::infinity();
  for (const Lesson& lesson : page_lessons()) {
    const auto save = [&](Names more, const std::string& file) {
      Names line = words_of(lesson.typed);
      line.insert(line.end(), {"--quiet", "--save", folder_.path(file)});
      line.insert(line.end(), more.begin(), more.end());
      run_command_line(line);
    };
    save({}, lesson.command + ".npz");
    save({"--grad", "--text", "the cat sat"}, lesson.command + "_grad.npz");
  }
  const auto array = [&](const std::string& name, const Shape& shape, std::vector<double> values) {
    values.resize(element_count(shape), values.empty() ? 1 : values.back());
    folder_.write(name + ".npy", write_npy(Tensor(shape, std::move(values))));
  };
  array("one", {1, 1}, {2});
  array("row", {1, 4}, {1, 0, -1, 0.5});
  array("column", {4, 1}, {1, 2, 3, 4});
  array("zeros", {4, 4}, {0});
  array("ones", {4, 4}, {1});
  array("identity", {3, 3}, {1, 0, 0, 0, 1, 0, 0, 0, 1});
  array("vector", {4}, {1, 2});
  array("empty", {0, 4}, {});
  array("flat", {4, 0}, {});
  array("four", {2, 1, 3, 4}, {0.5, -1, 0.25});
  array("stack", {3, 4, 4}, {1, -2, 3});
  array("number", {}, {3});
  array("nan", {4, 4}, {1, nan, 0});
  array("inf", {4, 4}, {1, inf, 0});
  array("minus_inf", {4, 4}, {0, -inf, 1});
  array("huge", {4, 4}, {1e308, -1e308, 1e308});
  array("tiny", {4, 4}, {5e-324, -1e-308, 0});
  folder_.write("twice.csv", "cat,1,0\ncat,0,1\n\"a,b\",2,2\n");
  folder_.write("plain.csv", "1,2,3,4\n0,1,0,1\n");
  folder_.write("ragged.csv", "1,2\n3\n");
  folder_.write("words.tsv", "cat\t1\t2\t3\t4\ndog\t0\t1\t0\t1\n");
  folder_.write("nothing.csv", "");
  folder_.write("noise.npz", std::string("PK\x03\x04 and no more", 16));
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path("")))
    files_.push_back(entry.path().string());
  std::ranges::sort(files_); // the folder has them in any order
  // One in some twenty is missing, however many there are.
  for (std::size_t i = files_.size() / 20 + 1; i-- > 0;)
    for (const char* name : {"", "missing.npy"}) files_.push_back(folder_.path(name));
  files_.emplace_back("-");
}

const std::vector<OfferedOption>& OptionCombinations::options_of(const std::string& command) {
  std::vector<OfferedOption>& all = options_[command];
  if (all.empty()) all = offered_options(command);
  return all;
}

std::string OptionCombinations::number() {
  if (one_in(20)) return one_of(Names{"1000000000", "4294967295", "18446744073709551616", "-1", "1e3", ""});
  if (one_in(5)) return one_of(Names{"0", "7", "12", "20"});
  return std::to_string(random_.size(1, 6));
}

std::string OptionCombinations::ids() {
  std::string list;
  const std::size_t rows = one_in(3) ? 2 : 1, columns = random_.size(1, 5);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j)
      list += (j > 0 ? "," : i > 0 ? ";" : "") + std::to_string(random_.size(0, one_in(20) ? 40 : 4));
  return list;
}

std::string OptionCombinations::tensors(const Lesson* lesson, std::size_t most) {
  std::string list;
  for (std::size_t i = random_.size(1, most); i-- > 0;) {
    std::string name = lesson && !lesson->page.empty() && !one_in(4)
                           ? one_of(one_of(lesson->page).tensors)
                           : one_of(Names{"X", "Q", "W_V", "weights", "output", "no"});
    list += (list.empty() ? "" : ",") + std::string(one_in(4) ? "d" : "") + name;
  }
  return list;
}

std::string OptionCombinations::value(const std::string& command, const OfferedOption& option,
                                      const Lesson* lesson) {
  if (writes(option)) {
    std::filesystem::create_directory(folder_.path("out"));
    return folder_.path("out/" +
                        one_of(Names{"a.npz", "a.npy", "a.csv", "a.json", "a.html", "a.txt", "no/a.npz"}));
  }
  const Offer offer = offer_of_value(command, option.name, option.type);
  if (offer.files && (offer.words.empty() || random_.coin())) return one_of(files_);
  if (!offer.words.empty()) return one_in(30) ? "neither" : one_of(offer.words);
  if (option.type == "N") return number();
  if (option.type.starts_with("IDS")) return ids();
  if (option.type.starts_with("NAME")) return tensors(lesson, option.type == "NAME" ? 1 : 3);
  if (option.type == "TEXT") return one_of(texts);
  return one_of(shares);
}

GivenOption OptionCombinations::with_value(const std::string& command, const OfferedOption& option,
                                           const Lesson* lesson) {
  return {option, option.type.empty() ? "" : value(command, option, lesson)};
}

Names OptionCombinations::other_values(const CommandLine& line, const GivenOption& given) {
  Names others;
  const std::string& command = line.command.front();
  for (const std::string& word : offer_of_value(command, given.option.name, given.option.type).words)
    others.push_back(word);
  if (given.option.type == "N")
    others = {"1", "2", "3", "5"};
  else
    for (int i = 0; i < 6; ++i) others.push_back(value(command, given.option, line.lesson));
  if (given.option.name == "--tutorial")
    others.push_back("attention-block"); // a lesson may have only its own
  std::erase(others, given.value);
  return others;
}

const Lesson& OptionCombinations::lesson_for_command(const std::string& command) {
  std::vector<const Lesson*> fitting;
  for (const Lesson& lesson : lessons())
    if (offers(lesson, command) && lesson.run) fitting.push_back(&lesson);
  return *one_of(fitting);
}

Names OptionCombinations::command_words(const std::string& command, const Lesson& lesson) {
  if (command == "break") return {command, lesson.command};
  if (command == "quiz") return one_in(5) ? Names{command} : Names{command, lesson.command};
  if (command == "check") {
    const std::string own = folder_.path(lesson.command + ".npz");
    return {command, lesson.command, one_in(3) ? one_of(files_) : own};
  }
  Names words{command, lesson.command, tensors(&lesson, 1)};
  for (std::size_t i = random_.size(1, one_in(5) ? 4 : 2); i-- > 0;)
    words.push_back(std::to_string(random_.size(0, 2)));
  return words;
}

CommandLine OptionCombinations::next() {
  CommandLine line;
  std::string typed; // "train step"
  if (random_.coin()) {
    const Lesson& lesson = one_of(page_lessons());
    line.command = words_of(lesson.typed), line.lesson = &lesson;
    typed = lesson.typed;
  } else {
    const std::string& command = one_of(commands);
    const Lesson& lesson = lesson_for_command(command);
    line.command = command_words(command, lesson);
    typed = command;
    if (line.command.size() > 1) line.lesson = &lesson;
  }
  const std::string& command = line.command.front();
  const auto has = [&](const std::string& name) {
    return std::ranges::any_of(line.options,
                               [&](const GivenOption& given) { return given.option.name == name; });
  };
  if (random_.coin()) { // options that go together, and more
    std::vector<const LessonCase*> fitting;
    for (const LessonCase& one : cases_)
      if (!line.lesson || one.lesson == line.lesson) fitting.push_back(&one);
    if (!fitting.empty())
      for (const auto& row : input_options())
        if (const auto value = row.given(one_of(fitting)->options); value && !has(row.name))
          line.options.push_back({{row.name, row.type}, *value});
  }
  const std::vector<OfferedOption>& offered = options_of(one_in(30) ? one_of(commands) : typed);
  for (std::size_t i = random_.size(0, 4); i-- > 0;) {
    const OfferedOption& option = one_of(offered);
    const bool fits =
        !line.lesson || one_in(20) || std::ranges::none_of(input_options(), [&](const auto& row) {
          return row.name == option.name && !row.is_for(*line.lesson);
        });
    if (fits && !has(option.name)) line.options.push_back(with_value(command, option, line.lesson));
  }
  return line;
}

} // namespace tfx
