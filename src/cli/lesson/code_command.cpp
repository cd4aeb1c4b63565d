// tfx code LESSON: the page's formula beside the same stage in NumPy and PyTorch.

#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "core/resource.hpp"
#include "text/display_width.hpp"

#include <memory>

namespace tfx {

namespace {

std::string section(const std::string& path, const Style& style) {
  const std::string title = path + " ";
  const std::size_t used = display_width(title);
  std::string rule;
  for (std::size_t i = used; i < style.width; ++i) rule += style.symbols("─");
  return style.bold(title) + style.dim(rule) + "\n" + std::string(resource(path)) + "\n";
}

} // namespace

void add_code_command(CLI::App& app, Context& context) {
  const auto name = std::make_shared<std::string>();
  const auto run = [&context, name] {
    const Lesson& lesson = lesson_for("code", *name);
    const Style style = context.style();
    for (const char* file : {"/formula.cpp", "/numpy.py", "/torch.py"})
      context.out += section(lesson.folder + file, style);
  };
  add_command(app, context, "code", in_words("command.code"), run, [name](CLI::App& command) {
    add_argument(command, "LESSON", *name, in_words("explain.lesson"));
  });
}

} // namespace tfx
