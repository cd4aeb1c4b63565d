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

ManualOption read_option(const CLI::Option& option, const std::string& command) {
  ManualOption result;
  for (const std::string& name : option.get_snames()) result.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) result.names.push_back("--" + name);
  if (option.get_items_expected_max() > 0) result.type = option.get_type_name();
  result.description = option.get_description();
  result.offer = offer_of_value(command, result.names.back(), result.type);
  return result;
}

std::vector<ManualOption> read_options(const CLI::App& app) {
  std::vector<ManualOption> result;
  for (const CLI::Option* option : app.get_options())
    if (!option->get_positional()) result.push_back(read_option(*option, app.get_name()));
  return result;
}

/// The options that `add` gives to a command.
template <class Add>
std::vector<ManualOption> shared_options(const Add& add) {
  CLI::App app;
  app.set_help_flag();
  add(app);
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
  ManualCommand command{app.get_name(), app.get_description(), {}, {}, read_options(app), {}};
  for (const CLI::Option* option : app.get_options())
    if (option->get_positional())
      command.arguments.push_back({option->get_name(), option->get_description(), option->get_required(),
                                   option->get_items_expected_max() > 1,
                                   offer_of_argument(command.name, option->get_name())});
  std::erase_if(command.options, [](const ManualOption& option) { return option.names.back() == "--help"; });
  for (const ManualOption& option : command.options) command.taken.push_back(option.names.back());
  share(command, Shared::input, manual.input);
  share(command, Shared::output, manual.output);
  return command;
}

/// The parser's tree. Commands that `arguments` name have their options (Context::names).
class Tree {
public:
  explicit Tree(std::vector<std::string> arguments) : app_("", "tfx") {
    context_.arguments = std::move(arguments);
    add_commands(app_, context_);
  }

  const CLI::App& app() const { return app_; }
  Context& context() { return context_; }

  /// Every command that is not hidden.
  std::vector<const CLI::App*> commands() const {
    return app_.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
  }

private:
  Context context_; // the parser holds references to it
  CLI::App app_;
};

/// The tree with the options of every command. Explain has those of `explained`, which comes first.
Tree full_tree(const std::string& explained) {
  const Tree names({});
  std::vector<std::string> arguments{"explain", explained};
  for (const CLI::App* command : names.commands()) arguments.push_back(command->get_name());
  return Tree(std::move(arguments));
}

} // namespace

Manual read_manual() {
  Tree tree = full_tree(lessons().front().command);
  Manual manual;
  manual.description = tree.app().get_description();
  manual.everywhere = read_options(tree.app());
  InputOptions input;
  OutputOptions output;
  manual.input = shared_options([&](CLI::App& app) { add_options(app, input_options(), input); });
  for (std::size_t i = 0; i < manual.input.size(); ++i) {
    std::vector<std::string> readers;
    for (const Lesson& lesson : page_lessons())
      if (input_options()[i].is_for(lesson)) readers.push_back(lesson.command);
    if (readers.size() < page_lessons().size()) manual.input[i].lessons = readers;
  }
  manual.output = shared_options([&](CLI::App& app) { add_output_options(app, output, tree.context()); });
  for (const CLI::App* command : tree.commands()) {
    manual.commands.push_back(read_command(*command, manual));
    if (command->get_name() != "explain") continue;
    // Of the model, explain takes other options than of a lesson.
    const Tree model = full_tree("model");
    ManualCommand explain = read_command(*model.app().get_subcommand("explain"), manual);
    explain.name += " model";
    explain.arguments.erase(explain.arguments.begin());
    manual.commands.push_back(std::move(explain));
  }
  return manual;
}

} // namespace tfx
