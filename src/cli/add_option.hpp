#pragma once
// Commands, arguments and options as tfx declares them: the help text is the words' "option--NAME", values
// are strict. CLI11 itself is included only by add_option.cpp and by who reads the tree that this makes (app,
// usage, manual): its templates take 8 s a file to compile.

#include "cli/context.hpp"
#include "options/option.hpp"
#include "options/parse.hpp"

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tfx {

using value::max_count;

/// An option that was added, for further settings.
class AddedOption {
public:
  explicit AddedOption(CLI::Option* option) : option_(option) {}
  AddedOption description(const std::string& text) const;
  AddedOption type_name(const std::string& name) const;
  AddedOption excludes(const AddedOption& other) const;

private:
  CLI::Option* option_;
};

/// A command below `app`: `run` is what it does when everything given has been read.
CLI::App& add_command(CLI::App& app, Context& context, const std::string& name, const std::string& title,
                      std::function<void()> run);

/// Leaves the command out of --help and the manual.
void hide(CLI::App& command);

/// An argument without a dash: a string has to be given, an optional may be, a vector takes any number.
AddedOption add_argument(CLI::App& command, const std::string& name, std::string& target,
                         const std::string& description);
AddedOption add_argument(CLI::App& command, const std::string& name, std::optional<std::string>& target,
                         const std::string& description);
AddedOption add_argument(CLI::App& command, const std::string& name, std::vector<std::string>& target,
                         const std::string& description);

AddedOption add_flag(CLI::App& app, const std::string& name, bool& target);
AddedOption add_flag(CLI::App& app, const std::string& name, std::function<void()> set);

/// An option with a value, which `read` takes or refuses.
AddedOption add_value(CLI::App& app, const std::string& name, std::function<void(const std::string&)> read,
                      const std::string& type);
AddedOption add_text(CLI::App& app, const std::string& name, std::optional<std::string>& target,
                     const std::string& type);
AddedOption add_count(CLI::App& app, const std::string& name, std::optional<std::size_t>& target,
                      std::size_t min = 1, std::size_t max = max_count);
AddedOption add_seed(CLI::App& app, std::optional<std::uint32_t>& target);

/// One of a few words, each with what it means.
template <class T>
AddedOption add_choice(CLI::App& app, const std::string& name,
                       const std::vector<std::pair<std::string, T>>& choices,
                       const std::function<void(T)>& set) {
  std::string list;
  for (const auto& [text, value] : choices) list += (list.empty() ? "" : "|") + text;
  const auto read = [=](const std::string& given) {
    for (const auto& [text, value] : choices)
      if (given == text) return set(value);
    throw usage_error("choice", {{"name", name}, {"choices", list}, {"text", given}});
  };
  return add_value(app, name, read, list);
}

/// The option of that name, added before.
AddedOption added_option(CLI::App& command, const std::string& name);

/// The rows of a table, or those of them that are for `subject`.
template <class Options, class Subject>
void add_options(CLI::App& command, const std::vector<Option<Options, Subject>>& table, Options& target,
                 const Subject* subject = nullptr) {
  for (const Option<Options, Subject>& row : table) {
    if (subject && !row.is_for(*subject)) continue;
    const auto read = [&row, &target](const std::string& text) { row.read(target, text); };
    const AddedOption added = row.type.empty()
                                  ? add_flag(command, row.name, std::function<void()>([read] { read(""); }))
                                  : add_value(command, row.name, read, row.type);
    for (const std::string& other : row.excluded) added.excludes(added_option(command, other));
  }
}

/// The option of that name, or nullptr where the command has none. CLI11's own functions for it would end the
/// process where they get no memory: they copy names, but promise not to throw.
const CLI::Option* find_option(const CLI::App& command, const std::string& name);

} // namespace tfx
