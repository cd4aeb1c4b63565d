#pragma once
// What every command gets: the global options, resolved, and where its output goes.

#include "input/options.hpp"
#include "render/style.hpp"
#include "words/in_words.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Only who builds or reads the command tree includes CLI11: its global objects take 6 s a file to compile.
namespace CLI {
class App;
class Option;
} // namespace CLI

namespace tfx {

/// Options that may stand before or after the command.
struct GlobalOptions {
  std::optional<Language> language; ///< the process speaks it already
  std::string color = "auto";
  std::optional<std::size_t> width, precision, threads;
  bool ascii = false, no_pager = false;
  std::string picture = "auto";
};

struct Context;

/// A command as a row of their table (commands.cpp).
struct Command {
  std::string name; ///< "cache"; "explain model" is what explain is when its first argument is "model"
  std::string title;
  /// Declares its arguments and options, of a command that a command line names: those of all took a quarter
  /// of a run. May be empty.
  std::function<void(CLI::App&, Context&)> options;
  std::function<void(Context&)> run;                       ///< when everything given has been read
  enum class Group { shown, hidden } group = Group::shown; ///< in --help and the manual
  std::vector<Command> deeper = {};                        ///< rows that share its options

  Command hidden() const {
    Command row = *this;
    row.group = Group::hidden;
    return row;
  }
};

struct Context {
  GlobalOptions global;
  std::map<std::string, Command> commands; ///< by name

  bool is_within = false;         ///< a screen that says itself what comes next
  int status = 0;                 ///< 1 where a check of the lesson failed
  std::string out;                ///< written to stdout when the command has succeeded
  std::vector<std::string> notes; ///< to stderr

  Style style() const;

  void note(const std::vector<std::string>& more) { notes.insert(notes.end(), more.begin(), more.end()); }

  /// Adds to `out`. What may become larger than memory goes to stdout in parts, once it is some megabytes.
  /// Throws Error(io) where it cannot be written.
  void write_long(std::string_view text);
};

} // namespace tfx
