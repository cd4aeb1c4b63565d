#pragma once
// The command line as data, read from the parser's own tree, and the man page that is written from it, so
// that it cannot say anything else than the program does.

#include "cli/context.hpp"

#include <string>
#include <vector>

namespace tfx {

struct ManualOption {
  std::vector<std::string> names; ///< "-h", "--help"
  std::string type;               ///< "FILE", "en|zh"; empty for a flag
  std::string description;
  std::vector<std::string> lessons = {}; ///< that take it, where not all of them do
};

struct ManualArgument {
  std::string name, description;
  bool required = false, repeated = false;
};

/// Options that many commands share: named once, then referred to.
enum class Shared { input, output };

struct ManualCommand {
  std::string name; ///< "scores", "explain model"
  std::string description;
  std::vector<ManualArgument> arguments;
  std::vector<Shared> shared;
  std::vector<ManualOption> options; ///< those that are not shared

  bool takes(Shared one) const;
};

struct Manual {
  std::string description;
  std::vector<ManualOption> everywhere;    ///< before or after any command
  std::vector<ManualOption> input, output; ///< Shared
  std::vector<ManualCommand> commands;
};

/// In the learner's language.
Manual read_manual();

/// tfx.1 in that language.
std::string man_page(const Manual& manual);

} // namespace tfx
