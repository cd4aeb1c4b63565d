// tfx manual: the man page, which the build installs beside the program.

#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/manual/manual.hpp"

namespace tfx {

void add_manual_command(CLI::App& app, Context& context) {
  add_command(app, context, "manual", in_words("command.manual"),
              [&context] { context.out = man_page(read_manual()); });
  hide(app, "manual");
}

} // namespace tfx
