// tfx inspect: what is in a file of arrays.

#include "cli/commands.hpp"
#include "cli/inspect_screen.hpp"
#include "text/pattern.hpp"
#include "text/suggest.hpp"

#include <CLI/CLI.hpp>

#include <memory>

namespace tfx {

namespace {

struct Options {
  std::string file;
  std::optional<std::string> name;
  bool json = false;
};

/// The entries that the name means; all without one.
std::vector<std::size_t> chosen(const ArrayFile& file, const Options& options, const Context& context) {
  std::vector<std::size_t> list;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < file.entries().size(); ++i) {
    const std::string& name = file.entries()[i].name;
    names.push_back(name);
    if (!options.name || matches(*options.name, name)) list.push_back(i);
  }
  if (options.name && list.empty())
    throw context.usage_error("array", {{"name", *options.name},
                                        {"file", file.name()},
                                        {"near", context.suggestion(nearest(*options.name, names))}});
  return list;
}

void run(const Options& options, Context& context) {
  const ArrayFile file(options.file);
  Inspected inspected{file, model_in(file), {}};
  for (const std::size_t i : chosen(file, options, context))
    inspected.arrays.push_back({i, statistics_of(file, i)});
  const InspectForm form = options.name ? InspectForm::values : InspectForm::list;
  context.out =
      options.json ? inspect_json(inspected, form) + "\n" : inspect_screen(inspected, form, context);
}

} // namespace

void add_inspect_command(CLI::App& app, Context& context) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("inspect", context.text("command.inspect"));
  command->fallthrough();
  command->footer(context.text("help.global"));
  if (context.names("inspect")) {
    command->add_option("file", options->file, context.text("inspect.file"))->required();
    command->add_option("name", options->name, context.text("inspect.name"));
    command->add_flag("--json", options->json, context.text("option--json"));
  }
  command->callback(
      [&context, options] { context.command = [&context, options] { run(*options, context); }; });
}

} // namespace tfx
