#pragma once
// What every command gets: the global options, resolved, and where its output goes.

#include "input/options.hpp"
#include "render/style.hpp"
#include "words/in_words.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

// Only who builds or reads the command tree includes CLI11: its global objects take 6 s a file to compile.
namespace CLI {
class App;
class Option;
} // namespace CLI

namespace tfx {

/// Options that may stand before or after the command.
struct GlobalOptions {
  std::string color = "auto";
  std::optional<std::size_t> width, precision, threads;
  bool ascii = false;
  std::string picture = "auto";
};

struct Context {
  GlobalOptions global;
  std::vector<std::string> arguments;

  int status = 0;                 ///< 1 where a check of the lesson failed
  std::string out;                ///< written to stdout when the command has succeeded
  std::vector<std::string> notes; ///< to stderr
  std::function<void()> command;  ///< set by the parser: what to run

  /// Options are only built for the command that the arguments name: building all of them took a quarter of a
  /// run.
  bool names(const std::string& name) const;
  Style style() const;
};

} // namespace tfx
