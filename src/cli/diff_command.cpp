// tfx diff: two files of arrays, compared.

#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/diff_screen.hpp"

#include <algorithm>
#include <memory>

namespace tfx {

namespace {

struct DiffOptions {
  std::string a, b;
  std::optional<std::string> relative, absolute;
  bool all = false, json = false;
};

FileTolerance tolerance_of(const DiffOptions& options, const Context& context) {
  constexpr double max_tolerance = 1e18;
  FileTolerance tolerance;
  if (options.relative)
    tolerance.relative = parse_number(context, "--rtol", *options.relative, 0, max_tolerance);
  if (options.absolute)
    tolerance.absolute = parse_number(context, "--atol", *options.absolute, 0, max_tolerance);
  return tolerance;
}

void run(const DiffOptions& options, Context& context) {
  const FileTolerance tolerance = tolerance_of(options, context);
  const ArrayFile a(options.a), b(options.b);
  const Compared compared{a, b, tolerance, compare_files(a, b, tolerance)};
  if (!compared.equal()) context.status = static_cast<int>(ErrorKind::difference);
  context.out = options.json
                    ? diff_json(compared) + "\n"
                    : diff_screen(compared, options.all ? DiffList::all : DiffList::different, context);
}

} // namespace

void add_diff_command(CLI::App& app, Context& context) {
  const auto options = std::make_shared<DiffOptions>();
  CLI::App& command = add_command(app, context, "diff", context.text("command.diff"),
                                  [&context, options] { run(*options, context); });
  if (context.names("diff")) {
    add_argument(command, "a", options->a, context.text("diff.a"));
    add_argument(command, "b", options->b, context.text("diff.b"));
    add_text(command, "--rtol", options->relative, context, "R");
    add_text(command, "--atol", options->absolute, context, "A");
    add_flag(command, "--all", options->all, context).description(context.text("diff--all"));
    add_flag(command, "--json", options->json, context);
  }
}

} // namespace tfx
