// tfx verify: everything against the shipped references; --mutants: every mistake against every property.

#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/verify/screen.hpp"

#include <algorithm>

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

Command verify_command() {
  using O = VerifyOptions;
  return command_row<O>("verify", run_verify, [](CLI::App& command, O& o, Context&) {
    add_options<O>(command, {{"--mutants", &O::mutants}, {"--json", &O::json}}, o);
  });
}

} // namespace tfx
