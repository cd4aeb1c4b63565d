// What tfx alone shows: what this is, how long it takes, where to begin, and what was done.

#include "cli/commands.hpp"
#include "cli/course/course_screen.hpp"
#include "cli/course/progress_file.hpp"
#include "cli/environment.hpp"
#include "course/tutorial_path.hpp"
#include "words/in_words.hpp"

#include <algorithm>

namespace tfx {

namespace {

class Door : CourseScreen {
public:
  explicit Door(const Style& style) : CourseScreen(style) {}

  std::string text(const CourseProgress& progress) {
    const auto count = [&](auto is_it) {
      return std::to_string(std::ranges::count_if(
          lessons(), [&](const Lesson& lesson) { return lesson.number && is_it(lesson); }));
    };
    const std::string all = count([](const Lesson&) { return true; });
    paragraph(*common_words().find("ui.map"));
    out_ += "\n";
    for (const char* key : {"door.what", "door.attention", "door.time"})
      paragraph(word(key, {{"lessons", all}}));
    out_ += "\n";
    named("begin", where(progress));
    for (const char* key : {"tour", "list", "own", "help"}) named(key, word(std::string("door.") + key));
    if (language() != language_of_locale()) named("language", word("door.language"));
    if (last_lesson(progress))
      named("done", word("door.done", {{"lessons", all},
                                       {"seen", count([&](const Lesson& lesson) {
                                          return progress.mark(lesson.command) != Mark::none;
                                        })},
                                       {"done", count([&](const Lesson& lesson) {
                                          return progress.mark(lesson.command) == Mark::done;
                                        })}}));
    return std::move(out_);
  }

private:
  void named(const std::string& key, const std::string& text) { row(word("door.row." + key), text); }

  std::string where(const CourseProgress& progress) const {
    if (const TutorialPath* path = path_on(progress)) return word("door.on_path", {{"id", path->id}});
    if (!last_lesson(progress)) return word("door.begin");
    const auto [next, page] = next_page(progress);
    return next ? word("door.go_on", {{"command", typed_of(*next, page)}, {"title", title_in(next->folder)}})
                : word("door.all_seen");
  }
};

} // namespace

std::string front_door(const Context& context) {
  return Door(context.style()).text(read_progress().progress);
}

} // namespace tfx
