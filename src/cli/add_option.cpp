#include "cli/add_option.hpp"

#include "core/error.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace tfx {

namespace {

bool is_named(const CLI::Option* option, const std::string& name) {
  const auto one_of = [&](const std::vector<std::string>& names, const char* dashes) {
    return std::ranges::any_of(names, [&](const std::string& n) { return dashes + n == name; });
  };
  return one_of(option->get_lnames(), "--") || one_of(option->get_snames(), "-");
}

/// The words of an option: the row's own, the command's, or those of every command. Of "explain model" the
/// model's.
std::string words_of(const CLI::App& command, const AddedOption& option) {
  if (!option.words.empty()) return in_words(option.words, option.facts);
  const std::string& name = command.get_name();
  const std::string own = name.substr(name.find(' ') + 1) + option.name;
  return in_words(find_words(own) ? own : "option" + option.name, option.facts);
}

} // namespace

void add_argument(CLI::App& command, const std::string& name, std::string& target,
                  const std::string& description) {
  command.add_option(name, target, description)->required();
}

void add_argument(CLI::App& command, const std::string& name, std::optional<std::string>& target,
                  const std::string& description) {
  command.add_option_function<std::string>(
      name, [&target](const std::string& value) { target = value; }, description);
}

void add_argument(CLI::App& command, const std::string& name, std::vector<std::string>& target,
                  const std::string& description) {
  command.add_option(name, target, description)->allow_extra_args(false);
}

void add_file_argument(CLI::App& command, const std::string& name, std::string& target,
                       const std::string& description) {
  command.add_option(name, target, description)->required()->type_name("FILE");
}

namespace {

void add_option(CLI::App& command, const AddedOption& option) {
  const std::string words = words_of(command, option);
  if (option.type.empty())
    command.add_flag_callback(
        option.name, [read = option.read] { read(""); }, words);
  else
    command.add_option_function<std::string>(option.name, option.read, words)->type_name(option.type);
}

void link(CLI::App& command, const AddedOption& option) {
  CLI::Option* const own = find_option(command, option.name);
  const auto named = [&](const std::string& name) {
    CLI::Option* const other = find_option(command, name);
    if (!other)
      throw defect(option.name + " names " + name + ", which " + command.get_name() + " does not have");
    return other;
  };
  for (const std::string& other : option.excluded) own->excludes(named(other));
  for (const std::string& other : option.needed) own->needs(named(other));
}

} // namespace

void add_options(CLI::App& command, const std::vector<AddedOption>& options) {
  for (const AddedOption& option : options) add_option(command, option);
  for (const AddedOption& option : options) link(command, option);
}

CLI::Option* find_option(CLI::App& command, const std::string& name) {
  const auto found = command.get_options([&](const CLI::Option* option) { return is_named(option, name); });
  return found.empty() ? nullptr : found.front();
}

} // namespace tfx
