// tfx, tfx list: the map of the course.

#include "cli/commands.hpp"
#include "text/display_width.hpp"

#include <algorithm>

namespace tfx {

namespace {

// " 3  tfx scores      every query meets every key", the title wrapped beside its column.
std::string entry(const std::string& number, const std::string& command, const std::string& title,
                  const Style& style) {
  constexpr std::size_t numbers = 6, commands = 16;
  std::string text, before = pad_left(number, 4) + "  " + style.bold(pad_right("tfx " + command, commands));
  for (const std::string& line : wrap(style.symbols(title), style.width - numbers - commands)) {
    text += before + line + "\n";
    before = std::string(numbers + commands, ' ');
  }
  return text;
}

} // namespace

std::string course_map(const Context& context) {
  const Style style = context.style();
  const Words words = common_words(context.language);
  std::string out;
  for (const std::string& line : wrap(style.symbols(*words.find("ui.map")), style.width))
    out += style.bold(line) + "\n";
  out += "\n";
  for (const Chapter& chapter : chapters())
    out += entry(std::to_string(chapter.number), chapter.command, title_in(chapter.folder, context.language),
                 style);
  out += "\n";
  for (const char* command : {"explain", "code", "break", "check"})
    out += entry("", command, context.text(std::string("command.") + command), style);
  out += "\n";
  for (const std::string& line : wrap(style.symbols(*words.find("ui.map.hint")), style.width))
    out += line + "\n";
  return out;
}

void require_lesson(const std::string& command, const std::string& name, const Context& context) {
  const auto is_named = [&](const auto& chapter) { return chapter.command == name; };
  if (std::ranges::any_of(chapters(), is_named) && std::ranges::none_of(lessons(), is_named))
    throw context.usage_error("no_page", {{"command", command}, {"name", name}});
}

void add_list_command(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("list", context.text("command.list"));
  command->fallthrough();
  command->callback([&context] { context.command = [&context] { context.out = course_map(context); }; });
}

} // namespace tfx
