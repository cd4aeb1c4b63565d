// tfx verify: everything against the shipped references; --mutants: every mistake against every property.

#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/verify/screen.hpp"

#include <algorithm>
#include <memory>

namespace tfx {

namespace {

struct VerifyOptions {
  bool mutants = false, json = false;
};

void run_verify(const VerifyOptions& options, Context& context) {
  if (options.mutants) {
    const KillMatrix matrix = kill_matrix();
    context.status = matrix.holds() ? 0 : 1;
    context.out = options.json ? mutants_json(matrix) : mutants_screen(matrix, context);
    return;
  }
  const std::vector<Verified> lines = verify_everything();
  context.status = std::ranges::all_of(lines, &Verified::holds) ? 0 : 1;
  context.out = options.json ? verify_json(lines) : verify_screen(lines, context);
}

} // namespace

void add_verify_command(CLI::App& app, Context& context) {
  using O = VerifyOptions;
  const auto options = std::make_shared<O>();
  const auto run = [&context, options] { run_verify(*options, context); };
  add_command(app, context, "verify", in_words("command.verify"), run, [options](CLI::App& command) {
    add_options<O>(command, {{"--mutants", &O::mutants}, {"--json", &O::json}}, *options);
  });
}

} // namespace tfx
