#pragma once
// Random command lines of the commands that read a lesson's options: some of the options that the command
// has, each with a value that its type allows, most of them small enough to fit together. A new option is
// tried without a word.

#include "input/options.hpp"
#include "support/command_line.hpp"
#include "support/lesson_cases.hpp"
#include "support/random_input.hpp"
#include "support/temporary_folder.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tfx {

struct OfferedOption {
  std::string name, type; ///< "--pad", "N"; no type of a flag
};

struct GivenOption {
  OfferedOption option;
  std::string value; ///< of a flag empty
};

struct CommandLine {
  std::vector<std::string> command; ///< "explain", "masked", "weights", "0", "1"
  const Lesson* lesson = nullptr;   ///< nullptr of a quiz about all lessons
  std::vector<GivenOption> options;

  std::vector<std::string> arguments() const;
  std::string text() const; ///< as one would type it
};

/// What the help of the command lists, and the options of all commands; neither --help nor --version.
std::vector<OfferedOption> offered_options(const std::string& command);

class OptionCombinations {
public:
  explicit OptionCombinations(std::uint32_t seed);

  CommandLine next();
  /// Other values that the option may have.
  std::vector<std::string> other_values(const CommandLine& line, const GivenOption& given);

private:
  template <class Range>
  const auto& one_of(const Range& range) {
    return *(range.begin() + static_cast<std::ptrdiff_t>(random_.size(0, range.size() - 1)));
  }
  bool one_in(std::size_t n) { return random_.size(1, n) == 1; }
  void write_files();
  const Lesson& lesson_for_command(const std::string& command);
  std::vector<std::string> command_words(const std::string& command, const Lesson& lesson);
  const std::vector<OfferedOption>& options_of(const std::string& command);
  GivenOption with_value(const std::string& command, const OfferedOption& option, const Lesson* lesson);
  std::string value(const std::string& command, const OfferedOption& option, const Lesson* lesson);
  std::string number();
  std::string ids();
  std::string tensors(const Lesson* lesson, std::size_t most);

  RandomInput random_;
  TemporaryFolder folder_;
  std::vector<LessonCase> cases_;
  std::vector<std::string> files_;
  std::map<std::string, std::vector<OfferedOption>> options_; ///< by command
};

} // namespace tfx
