// tfx list: the map of the course. Every lesson, and what to do next, within the 24 rows of a terminal, a
// prompt below them.

#include "cli/exercise/command.hpp"
#include "cli/commands.hpp"
#include "cli/course/progress_file.hpp"
#include "cli/lesson/save.hpp"
#include "cli/lesson/screen.hpp"
#include "course/model_map.hpp"
#include "course/tutorial_path.hpp"
#include "text/display_width.hpp"
#include "text/names.hpp"

#include <algorithm>

namespace tfx {

namespace {

/// What the learner has done of a lesson, and the mark of it.
class Marks {
public:
  Marks(const CourseProgress& progress, const Lesson* next, const Style& style)
      : done(style.mark("✓")),
        seen(style.mark("·")),
        next(style.mark("→")),
        progress_(progress),
        next_(next) {}

  std::string of(const Lesson& lesson) const {
    if (&lesson == next_) return next;
    if (is_done(lesson)) return done;
    return is_seen(lesson) ? seen : " ";
  }
  bool is_seen(const Lesson& lesson) const { return progress_.mark(lesson.command) != Mark::none; }
  bool is_done(const Lesson& lesson) const { return is_complete(progress_, lesson); }
  bool has_program(const Lesson& lesson) const { return is_written(progress_, lesson.command); }

  const std::string done, seen, next;

private:
  const CourseProgress& progress_;
  const Lesson* next_;
};

bool is_since_2017(const Lesson& lesson) {
  return group_of(lesson) == &part_group("since");
}

Heading heading_of(const Marks& marks, bool has_begun) {
  Heading heading{Sentence{"ui.map"}, Sentence{"others"}};
  const bool writes =
      std::ranges::any_of(lessons(), [&](const Lesson& one) { return marks.has_program(one); });
  if (has_begun)
    heading.aside = Sentence{writes ? "legend.written" : "legend",
                             {{"done", marks.done}, {"seen", marks.seen}, {"next", marks.next}}};
  return heading;
}

/// A line each; those since 2017 and the appendices stand in a row, as the screen has no more.
void add_lessons(Report& report, const Marks& marks) {
  Names since, appendices;
  const auto marked = [&](const Lesson& lesson, const std::string& text) {
    const std::string mark = marks.of(lesson);
    return (mark == " " ? "" : mark + " ") + text;
  };
  for (const Lesson& lesson : lessons()) {
    const std::string number = number_of(lesson) + (marks.has_program(lesson) ? "*" : " ");
    if (!lesson.number)
      appendices.push_back(marked(lesson, "tfx " + lesson.command));
    else if (is_since_2017(lesson))
      since.push_back(marked(lesson, number + (number.ends_with('*') ? " " : "") + lesson.command));
    else
      report.add(Item{marks.of(lesson), pad_left(number, 3), "tfx " + lesson.command, title_of(lesson)});
  }
  for (const auto& [key, names] : {std::pair("since", since), {"appendices", appendices}})
    report.add(Row{key, Sentence{key, {{"names", join(names, "  ")}}}});
}

ReportTable table_of(const Marks& marks) {
  ReportTable table{"lessons", {"number", "command", "title", "seen", "done", "written"}, {}};
  for (const Lesson& lesson : lessons())
    table.rows.push_back({lesson.number ? Cell(Count{static_cast<std::size_t>(*lesson.number)}) : None{},
                          lesson.command, title_of(lesson), marks.is_seen(lesson), marks.is_done(lesson),
                          marks.has_program(lesson)});
  return table;
}

/// What to do next, as a command where there is one.
struct Onward {
  Sentence said;
  Cell command = None{};
};

Onward onward_of(const CourseProgress& progress, const TutorialPath* path, bool has_begun) {
  if (!has_begun) return {{"begin"}, "next"};
  if (path) {
    const std::string place =
        std::to_string(*next_block(progress, *path) + 1) + "/" + std::to_string(path->blocks.size());
    return {{"next", {{"command", "tfx next (" + path->id + " " + place + ")"}}}, "next"};
  }
  if (const Lesson* next = next_page(progress).lesson)
    return {{"next", {{"command", "tfx next (tfx " + next->typed + ")"}}}, next->typed};
  const bool all =
      std::ranges::all_of(lessons(), [&](const Lesson& one) { return is_complete(progress, one); });
  return {{all ? "progress.all_done" : "all_seen"}};
}

Report run(Context& context) {
  note_broken_progress(context);
  const ProgressFile file = read_progress();
  const TutorialPath* path = path_on(file.progress);
  const bool has_begun = path || last_lesson(file.progress);
  const Marks marks(file.progress, has_begun && !path ? next_page(file.progress).lesson : nullptr,
                    context.style());
  Report report{frame_of_command("list"), {}};
  report.frame.quoted = {"src/course"};
  report.title = Title::none;
  report.add(heading_of(marks, has_begun));
  add_lessons(report, marks);
  report.add(table_of(marks));
  const Onward onward = onward_of(file.progress, path, has_begun);
  report.add(Member{"next", onward.command});
  report.onward = {onward.said};
  return report;
}

} // namespace

Command list_command() {
  return page_row<run>("list");
}

} // namespace tfx
