// tfx inspect: what is in a file of arrays.

#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/files/inspect_screen.hpp"
#include "input/files.hpp"
#include "text/pattern.hpp"
#include "text/suggest.hpp"

#include <memory>

namespace tfx {

namespace {

struct InspectOptions {
  std::string file;
  std::optional<std::string> name;
  bool json = false;
};

/// The entries that the name means; all without one.
std::vector<std::size_t> chosen(const ArrayFile& file, const InspectOptions& options) {
  std::vector<std::size_t> list;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < file.entries().size(); ++i) {
    const std::string& name = file.entries()[i].name;
    names.push_back(name);
    if (!options.name || matches(*options.name, name)) list.push_back(i);
  }
  if (options.name && list.empty())
    throw usage_error("array", {{"name", *options.name},
                                {"file", file.name()},
                                {"near", suggestion(nearest(*options.name, names))}});
  return list;
}

void run(const InspectOptions& options, Context& context) {
  const ArrayFile file(options.file);
  note_header(options.file, file.header(), context.notes);
  Inspected inspected{file, model_in(file), {}, {}};
  if (!inspected.model) inspected.program = program_of(file.entries());
  if (file.named()) inspected.tied = tied_tables(*file.named());
  for (const std::size_t i : chosen(file, options))
    inspected.arrays.push_back({i, file.entries()[i].is_read() ? statistics_of(file, i) : ArrayStatistics{}});
  const InspectForm form = options.name ? InspectForm::values : InspectForm::list;
  context.out =
      options.json ? inspect_json(inspected, form) + "\n" : inspect_screen(inspected, form, context);
}

} // namespace

void add_inspect_command(CLI::App& app, Context& context) {
  using O = InspectOptions;
  const auto options = std::make_shared<O>();
  const auto start = [&context, options] { run(*options, context); };
  add_command(app, context, "inspect", in_words("command.inspect"), start, [options](CLI::App& command) {
    add_file_argument(command, "FILE", options->file, in_words("inspect.file"));
    add_argument(command, "NAME", options->name, in_words("inspect.name"));
    add_options<O>(command, {{"--json", &O::json}}, *options);
  });
}

} // namespace tfx
