// tfx diff: two files of arrays, compared.

#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/files/diff_screen.hpp"

#include <algorithm>
#include <memory>

namespace tfx {

namespace {

struct DiffOptions {
  std::string a, b;
  std::optional<std::string> relative, absolute;
  bool all = false, json = false;
};

FileTolerance tolerance_of(const DiffOptions& options) {
  constexpr double max_tolerance = 1e18;
  FileTolerance tolerance;
  if (options.relative) tolerance.relative = parse_number("--rtol", *options.relative, 0, max_tolerance);
  if (options.absolute) tolerance.absolute = parse_number("--atol", *options.absolute, 0, max_tolerance);
  return tolerance;
}

void run(const DiffOptions& options, Context& context) {
  const FileTolerance tolerance = tolerance_of(options);
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
  CLI::App& command = add_command(app, context, "diff", in_words("command.diff"),
                                  [&context, options] { run(*options, context); });
  if (context.names("diff")) {
    add_argument(command, "a", options->a, in_words("diff.a"));
    add_argument(command, "b", options->b, in_words("diff.b"));
    add_text(command, "--rtol", options->relative, "R");
    add_text(command, "--atol", options->absolute, "A");
    add_flag(command, "--all", options->all);
    add_flag(command, "--json", options->json);
  }
}

} // namespace tfx
