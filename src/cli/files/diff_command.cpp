// tfx diff: two files of arrays, compared.

#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/files/diff_screen.hpp"
#include "input/files.hpp"

#include <algorithm>
#include <memory>

namespace tfx {

namespace {

struct DiffOptions {
  std::string a, b;
  std::optional<double> relative, absolute;
  bool all = false, json = false;
};

void run(const DiffOptions& options, Context& context) {
  FileTolerance tolerance;
  tolerance.relative = options.relative.value_or(tolerance.relative);
  tolerance.absolute = options.absolute.value_or(tolerance.absolute);
  const ArrayFile a(options.a), b(options.b);
  note_header(options.a, a.header(), context.notes);
  note_header(options.b, b.header(), context.notes);
  const Compared compared{a, b, tolerance, compare_files(a, b, tolerance)};
  if (!compared.equal()) context.status = static_cast<int>(ErrorKind::difference);
  context.out = options.json
                    ? diff_json(compared) + "\n"
                    : diff_screen(compared, options.all ? DiffList::all : DiffList::different, context);
}

} // namespace

void add_diff_command(CLI::App& app, Context& context) {
  using O = DiffOptions;
  const auto options = std::make_shared<O>();
  const auto start = [&context, options] { run(*options, context); };
  add_command(app, context, "diff", in_words("command.diff"), start, [options](CLI::App& command) {
    constexpr double max_tolerance = 1e18;
    add_file_argument(command, "A", options->a, in_words("diff.a"));
    add_file_argument(command, "B", options->b, in_words("diff.b"));
    add_options<O>(command,
                   {{"--rtol", &O::relative, value::number("R", 0, max_tolerance)},
                    {"--atol", &O::absolute, value::number("A", 0, max_tolerance)},
                    {"--all", &O::all},
                    {"--json", &O::json}},
                   *options);
  });
}

} // namespace tfx
