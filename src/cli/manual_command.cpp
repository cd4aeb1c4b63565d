// tfx manual man|bash|zsh: what the build installs beside the program. Hidden: it is for the build and
// packagers.

#include "cli/add_option.hpp"
#include "cli/manual.hpp"

#include <memory>

namespace tfx {

void add_manual_command(CLI::App& app, Context& context) {
  const auto kind = std::make_shared<std::string>();
  CLI::App& command = add_command(app, context, "manual", context.text("command.manual"), [&context, kind] {
    if (*kind == "man")
      context.out = man_page(read_manual(context.language), context.help);
    else if (*kind == "bash")
      context.out = bash_completion(read_manual(Language::en));
    else if (*kind == "zsh")
      context.out = zsh_completion(read_manual(Language::en), read_manual(Language::zh));
    else
      throw context.usage_error("choice", {{"name", "manual"}, {"choices", "man|bash|zsh"}, {"text", *kind}});
  });
  hide(command);
  add_argument(command, "KIND", *kind, context.text("manual.kind"));
}

} // namespace tfx
