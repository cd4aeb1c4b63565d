#pragma once
// The command line, read once from left to right. What is wrong with it is said in the learner's words:
// CLI11's own are for programmers, in English only, so it keeps the tree, the values and the help, and this
// walk reads.

#include "cli/context.hpp"

#include <set>
#include <string>
#include <vector>

namespace tfx {

/// --lang decides the words of every help and refusal, so it is looked for before the walk.
Language wanted_language(const std::vector<std::string>& arguments);

class ArgumentWalk {
public:
  /// `app` has every command (add_commands); those that are named get their options here.
  ArgumentWalk(CLI::App& app, Context& context);

  /// The next argument. Throws Error(usage) for an unknown command or option (with the name that was probably
  /// meant, or the commands that it is for), a value that is missing or too many, an argument without a
  /// place.
  void take(const std::string& argument);

  /// After the last: gives every option its value. Throws Error(usage) where a value, an argument or an
  /// option is missing, and what reading the values throws.
  void finish();

  bool wants_help() const { return help_; }
  bool wants_version() const { return version_; }
  /// The command that is named; the program's own tree where none is.
  CLI::App& command() const { return *levels_.back(); }
  /// The option whose value comes next, or nullptr.
  const CLI::Option* waiting() const { return waiting_; }
  /// The argument that comes next, or nullptr where the command has no more.
  CLI::Option* next_argument() const;
  /// Whether an option may stand next.
  bool takes_options() const { return !only_arguments_; }
  /// Those of the command and those of every command, none twice.
  std::vector<const CLI::Option*> options() const;

private:
  [[noreturn]] void fail(const std::string& key, std::map<std::string, std::string> values) const;
  [[noreturn]] void refuse_option(const std::string& name) const;
  void option(const std::string& argument);
  void name_command(const std::string& typed);
  void enter(CLI::App& command);
  void argument(const std::string& typed);
  void give(CLI::Option& option, const std::string& value);
  CLI::Option* option_named(const std::string& name) const;
  bool is_given(const CLI::Option& option) const;
  std::vector<std::string> option_names() const;

  Context& context_;
  std::vector<CLI::App*> levels_; ///< the program, the command, "explain model"
  std::string typed_;             ///< the name under which waiting_ was asked for
  CLI::Option* waiting_ = nullptr;
  std::size_t arguments_ = 0;
  /// Throws Error(usage) where --save names a file that another option or argument reads.
  void refuse_overwriting() const;

  std::set<const CLI::Option*> given_;
  bool only_arguments_ = false, reads_stdin_ = false, help_ = false, version_ = false;
};

} // namespace tfx
