#pragma once
// A whole command line run in this process: a hundredth of what a process of its own would cost.

#include <string>
#include <vector>

namespace tfx {

struct Ran {
  int status = 0;
  std::string out, err;

  bool operator==(const Ran&) const = default;
};

/// `tfx ARGUMENT…` with nothing on standard input, and with the language and the threads that it had before.
Ran run_command_line(std::vector<std::string> arguments);

/// "train step" as its words.
std::vector<std::string> words_of(const std::string& typed);

} // namespace tfx
