#include "cli/add_option.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <limits>

namespace tfx {

namespace {

bool is_named(const CLI::Option* option, const std::string& name) {
  const auto one_of = [&](const std::vector<std::string>& names, const char* dashes) {
    return std::ranges::any_of(names, [&](const std::string& n) { return dashes + n == name; });
  };
  return one_of(option->get_lnames(), "--") || one_of(option->get_snames(), "-");
}

auto options_named(auto& command, const std::string& name) {
  return command.get_options([&](const CLI::Option* option) { return is_named(option, name); });
}

/// The words of an option: the command's own, or those of every command.
std::string words_of(const CLI::App& command, const std::string& option) {
  const std::string* own = find_words(command.get_name() + option);
  return own ? *own : in_words("option" + option);
}

} // namespace

AddedOption AddedOption::description(const std::string& text) const {
  return AddedOption(option_->description(text));
}

AddedOption AddedOption::type_name(const std::string& name) const {
  return AddedOption(option_->type_name(name));
}

AddedOption AddedOption::excludes(const AddedOption& other) const {
  return AddedOption(option_->excludes(other.option_));
}

CLI::App& add_command(CLI::App& app, Context& context, const std::string& name, const std::string& title,
                      std::function<void()> run) {
  CLI::App& command = *app.add_subcommand(name, title);
  command.fallthrough(); // global options may stand after the command too
  command.footer(in_words("help.global"));
  command.callback([&context, run = std::move(run)] { context.command = run; });
  return command;
}

void hide(CLI::App& command) {
  command.group("");
}

AddedOption add_argument(CLI::App& command, const std::string& name, std::string& target,
                         const std::string& description) {
  return AddedOption(command.add_option(name, target, description)->required());
}

AddedOption add_argument(CLI::App& command, const std::string& name, std::optional<std::string>& target,
                         const std::string& description) {
  return AddedOption(command.add_option_function<std::string>(
      name, [&target](const std::string& value) { target = value; }, description));
}

AddedOption add_argument(CLI::App& command, const std::string& name, std::vector<std::string>& target,
                         const std::string& description) {
  return AddedOption(command.add_option(name, target, description));
}

AddedOption add_flag(CLI::App& app, const std::string& name, bool& target) {
  return AddedOption(app.add_flag(name, target, words_of(app, name)));
}

AddedOption add_flag(CLI::App& app, const std::string& name, std::function<void()> set) {
  return AddedOption(app.add_flag_callback(name, std::move(set), words_of(app, name)));
}

AddedOption add_value(CLI::App& app, const std::string& name, std::function<void(const std::string&)> read,
                      const std::string& type) {
  return AddedOption(app.add_option_function<std::string>(name, read, words_of(app, name))->type_name(type));
}

AddedOption add_text(CLI::App& app, const std::string& name, std::optional<std::string>& target,
                     const std::string& type) {
  return add_value(
      app, name, [&target](const std::string& value) { target = value; }, type);
}

AddedOption add_count(CLI::App& app, const std::string& name, std::optional<std::size_t>& target,
                      std::size_t min, std::size_t max) {
  const auto read = [&target, name, min, max](const std::string& value) {
    target = parse_count(name, value, min, max);
  };
  return add_value(app, name, read, "N");
}

AddedOption add_seed(CLI::App& app, std::optional<std::uint32_t>& target) {
  const auto read = [&target](const std::string& value) {
    target = static_cast<std::uint32_t>(
        parse_count("--seed", value, 0, std::numeric_limits<std::uint32_t>::max()));
  };
  return add_value(app, "--seed", read, "N");
}

AddedOption added_option(CLI::App& command, const std::string& name) {
  return AddedOption(options_named(command, name).at(0));
}

const CLI::Option* find_option(const CLI::App& command, const std::string& name) {
  const auto found = options_named(command, name);
  return found.empty() ? nullptr : found.front();
}

} // namespace tfx
