// tfx manual man|bash|zsh: what the build installs beside the program. Hidden: it is for the build and
// packagers.

#include "cli/manual.hpp"

#include <CLI/CLI.hpp>

#include <memory>

namespace tfx {

void add_manual_command(CLI::App& app, Context& context) {
  const auto kind = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("manual", context.text("command.manual"));
  command->fallthrough();
  command->group("");
  command->add_option("KIND", *kind, context.text("manual.kind"))->required();
  command->callback([&context, kind] {
    context.command = [&context, kind] {
      if (*kind == "man")
        context.out = man_page(read_manual(context.language), context.help);
      else if (*kind == "bash")
        context.out = bash_completion(read_manual(Language::en));
      else if (*kind == "zsh")
        context.out = zsh_completion(read_manual(Language::en), read_manual(Language::zh));
      else
        throw context.usage_error("choice",
                                  {{"name", "manual"}, {"choices", "man|bash|zsh"}, {"text", *kind}});
    };
  });
}

} // namespace tfx
