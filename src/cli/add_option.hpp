#pragma once
// Arguments and options as tfx declares them, and the tree of CLI11 that is made of them. CLI11
// itself is included only by add_option.cpp and by who reads the tree: its templates take 8 s a file to
// compile.

#include "cli/context.hpp"
#include "options/option.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tfx {

/// An argument without a dash: a string has to be given, an optional may be, a vector takes any number. Its
/// name is in capitals: CLI11 2.4 takes no argument that is called like an option ("FILE" beside "--file").
void add_argument(CLI::App& command, const std::string& name, std::string& target,
                  const std::string& description);
void add_argument(CLI::App& command, const std::string& name, std::optional<std::string>& target,
                  const std::string& description);
void add_argument(CLI::App& command, const std::string& name, std::vector<std::string>& target,
                  const std::string& description);

/// The same where it names a file, of which standard input may be one.
void add_file_argument(CLI::App& command, const std::string& name, std::string& target,
                       const std::string& description);

/// What the parser knows of a row.
struct AddedOption {
  std::string name, type, words;
  std::vector<std::string> excluded, needed;
  std::map<std::string, std::string> facts;
  std::function<void(const std::string&)> read;
};

/// Adds the options, then links those that may not stand beside each other, or have to. Throws
/// Error(internal) where one names an option that the command has not.
void add_options(CLI::App& command, const std::vector<AddedOption>& options);

/// The rows of a table, or those of them that are for `subject`.
template <class Options, class Subject = Anything>
void add_options(CLI::App& command, const std::vector<Option<Options, Subject>>& table, Options& target,
                 const Subject* subject = nullptr) {
  std::vector<AddedOption> added;
  for (const Option<Options, Subject>& row : table)
    if (!subject || row.is_for(*subject))
      added.push_back({row.name, row.type, row.words, row.excluded,
                       subject ? row.needed_for(*subject) : row.needed, row.facts,
                       [read = row.read, &target](const std::string& text) { read(target, text); }});
  add_options(command, added);
}

/// The option of that name, or nullptr where the command has none. CLI11's own functions for it would end the
/// process where they get no memory: they copy names, but promise not to throw.
CLI::Option* find_option(CLI::App& command, const std::string& name);

} // namespace tfx
