// tfx, tfx list: the map of the course.

#include "cli/commands.hpp"
#include "text/display_width.hpp"

namespace tfx {

std::string course_map(const Context& context) {
  const Style style = context.style();
  const Words words = common_words(context.language);
  std::string out = style.bold(style.symbols(*words.find("ui.map"))) + "\n\n";
  for (const Lesson& lesson : lessons()) {
    const std::string title = title_of(lesson, context.language);
    out += "  " + pad_left(std::to_string(lesson.number), 2) + "  " +
           style.bold(pad_right("tfx " + lesson.command, 16)) + style.symbols(title) + "\n";
  }
  out += "\n";
  for (const char* command : {"explain", "code"})
    out += "      " + style.bold(pad_right(std::string("tfx ") + command, 16)) +
           style.symbols(context.text(std::string("command.") + command)) + "\n";
  out += "\n";
  for (const std::string& line : wrap(style.symbols(*words.find("ui.map.hint")), style.width))
    out += line + "\n";
  return out;
}

void add_list_command(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("list", context.text("command.list"));
  command->fallthrough();
  command->callback([&context] { context.command = [&context] { context.out = course_map(context); }; });
}

} // namespace tfx
