#include "cli/manual/manual.hpp"

#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "lessons/catalogue.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace tfx {

bool ManualCommand::takes(Shared one) const {
  return std::find(shared.begin(), shared.end(), one) != shared.end();
}

namespace {

ManualOption read_option(const CLI::Option& option) {
  ManualOption result;
  for (const std::string& name : option.get_snames()) result.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) result.names.push_back("--" + name);
  if (option.get_items_expected_max() > 0) result.type = option.get_type_name();
  result.description = option.get_description();
  return result;
}

std::vector<ManualOption> read_options(const CLI::App& app) {
  std::vector<ManualOption> result;
  for (const CLI::Option* option : app.get_options())
    if (!option->get_positional()) result.push_back(read_option(*option));
  return result;
}

/// Of a table that commands share.
template <class Options, class Subject>
std::vector<ManualOption> shared_options(const std::vector<Option<Options, Subject>>& table) {
  CLI::App app;
  app.set_help_flag();
  Options target;
  add_options(app, table, target);
  return read_options(app);
}

bool is(const ManualOption& one, const ManualOption& other) {
  return one.names == other.names && one.description == other.description && one.type == other.type;
}

/// Takes what is in `options` out of the command's own, where it has some of them.
void share(ManualCommand& command, Shared name, const std::vector<ManualOption>& options) {
  const std::size_t taken = std::erase_if(command.options, [&](const ManualOption& one) {
    return std::ranges::any_of(options, [&](const ManualOption& other) { return is(one, other); });
  });
  if (taken > 0) command.shared.push_back(name);
}

ManualCommand read_command(const CLI::App& app, const Manual& manual) {
  ManualCommand command{app.get_name(), app.get_description(), {}, {}, read_options(app)};
  for (const CLI::Option* option : app.get_options())
    if (option->get_positional())
      command.arguments.push_back({option->get_name(), option->get_description(), option->get_required(),
                                   option->get_items_expected_max() > 1});
  std::erase_if(command.options, [](const ManualOption& option) { return option.names.back() == "--help"; });
  share(command, Shared::input, manual.input);
  share(command, Shared::output, manual.output);
  return command;
}

} // namespace

Manual read_manual() {
  Context context; // the tree holds references to it
  CLI::App app("", "tfx");
  add_commands(app, context);
  Manual manual;
  manual.description = app.get_description();
  manual.everywhere = read_options(app);
  manual.input = shared_options(input_options());
  for (std::size_t i = 0; i < manual.input.size(); ++i) {
    std::vector<std::string> readers;
    for (const Lesson& lesson : page_lessons())
      if (input_options()[i].is_for(lesson)) readers.push_back(lesson.typed);
    if (readers.size() < page_lessons().size()) manual.input[i].lessons = readers;
  }
  manual.output = shared_options(output_options());
  const std::vector<ManualOption> picture = shared_options(picture_options());
  manual.output.insert(manual.output.end(), picture.begin(), picture.end());
  for (CLI::App* command : app.get_subcommands({})) {
    const bool is_hidden = command->get_group().empty() && !is_deeper(*command);
    if (is_hidden) continue;
    declare(*command, context);
    manual.commands.push_back(read_command(*command, manual));
  }
  return manual;
}

} // namespace tfx
