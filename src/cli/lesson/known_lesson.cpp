// A lesson by what a learner calls it.

#include "cli/commands.hpp"
#include "text/names.hpp"
#include "words/in_words.hpp"

#include <algorithm>

namespace tfx {

std::string lesson_called(const std::string& name) {
  if (name.empty() || !std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; })) return name;
  const auto found = std::ranges::find(lessons(), name, number_of);
  if (found != lessons().end()) return found->command;
  int last = 0;
  for (const Lesson& lesson : lessons()) last = std::max(last, lesson.number.value_or(0));
  throw usage_error("no_lesson_number", {{"number", name}, {"last", std::to_string(last)}});
}

const Lesson& known_lesson(std::string_view name) {
  if (const Lesson* lesson = lesson_named(name)) return *lesson;
  std::vector<std::string> commands;
  for (const Lesson& lesson : lessons()) commands.push_back(lesson.command);
  throw usage_error("no_lesson",
                    {{"name", std::string(name)}, {"near", suggestion(nearest(name, commands))}});
}

const Lesson& lesson_for(std::string_view command, std::string_view name) {
  const Lesson& lesson = known_lesson(name);
  if (offers(lesson, command)) return lesson;
  const bool broken = offers(lesson, "break");
  throw usage_error(
      command == "quiz" ? "no_quiz" : "no_page",
      {{"command", std::string(command)},
       {"name", std::string(name)},
       {"mistakes", broken ? in_words("usage.no_page.mistakes", {{"name", std::string(name)}}) : ""}});
}

} // namespace tfx
