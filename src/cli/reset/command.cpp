// tfx reset [LESSON]: what was done counts as not done; the file before is kept.

#include "cli/exercise/command.hpp"
#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/course/course_screen.hpp"
#include "cli/course/progress_file.hpp"
#include "course/tutorial_path.hpp"
#include "words/in_words.hpp"

#include <utility>

namespace tfx {

namespace {

class Reset : CourseScreen {
public:
  explicit Reset(Context& context) : CourseScreen(context.style()), context_(context) {}

  /// Of a lesson, a tutorial, or all.
  void run(const std::optional<std::string>& name) {
    note_broken_progress(context_);
    const TutorialPath* path = name ? tutorial_path(*name) : nullptr;
    if (name && !path && read_progress().progress.mark(*name) == Mark::none)
      known_lesson(*name); // says what there is
    const auto lock = lock_progress();
    ProgressFile file = read_progress();
    const bool any = path   ? forget(file.progress, *path)
                     : name ? forget_lesson(file.progress, *name)
                            : !file.progress.entries().empty();
    if (!any && !file.broken)
      return say(name ? word("progress.nothing_of", {{"lesson", *name}})
                      : word("progress.nothing_to_forget"));
    if (!name) file.progress = {};
    context_.notes.clear(); // write_progress says where it is kept
    write_progress(file, context_, Previous::kept);
    if (file.broken) return;
    const std::string before = file.path + ".prev";
    say(name ? word("progress.forgotten_of", {{"lesson", *name}, {"file", before}})
             : word("progress.forgotten", {{"file", before}}));
  }

private:
  void say(const std::string& text) {
    paragraph(text);
    context_.out += std::exchange(out_, {});
  }

  Context& context_;
};

} // namespace

Command reset_command() {
  using O = std::optional<std::string>;
  const auto run = [](const O& name, Context& context) { Reset(context).run(name); };
  return command_row<O>("reset", run, [](CLI::App& command, O& lesson, Context&) {
    add_argument(command, "LESSON", lesson, in_words("reset.lesson"));
  });
}

} // namespace tfx
