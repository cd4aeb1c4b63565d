// tfx manual: the man page, which the build installs beside the program.

#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/manual/manual.hpp"

namespace tfx {

Command manual_command() {
  const auto run = [](const Anything&, Context& context) { context.out = man_page(read_manual()); };
  return command_row<Anything>("manual", run).hidden();
}

} // namespace tfx
