// tfx manual man|bash|zsh: what the build installs beside the program. Hidden: it is for the build and
// packagers.

#include "cli/add_option.hpp"
#include "cli/manual/manual.hpp"

#include <memory>

namespace tfx {

namespace {

Manual manual_in(Language language) {
  set_language(language);
  return read_manual();
}

} // namespace

void add_manual_command(CLI::App& app, Context& context) {
  const auto kind = std::make_shared<std::string>();
  CLI::App& command = add_command(app, context, "manual", in_words("command.manual"), [&context, kind] {
    if (*kind == "man")
      context.out = man_page(read_manual());
    else if (*kind == "bash")
      context.out = bash_completion(manual_in(Language::en));
    else if (*kind == "zsh")
      context.out = zsh_completion(manual_in(Language::en), manual_in(Language::zh));
    else
      throw usage_error("choice", {{"name", "manual"}, {"choices", "man|bash|zsh"}, {"text", *kind}});
  });
  hide(command);
  add_argument(command, "KIND", *kind, in_words("manual.kind"));
}

} // namespace tfx
