// tfx next: the way from the first page to the last. At a terminal each lesson is asked before it is shown,
// and what the learner thought is answered behind it.

#include "cli/commands.hpp"
#include "cli/course/course_screen.hpp"
#include "cli/course/progress_file.hpp"
#include "cli/exercise/command.hpp"
#include "cli/quiz/question_dialogue.hpp"
#include "cli/terminal_lines.hpp"
#include "cli/tutorial/command.hpp"
#include "course/tutorial_path.hpp"
#include "lessons/run.hpp"
#include "render/paper.hpp"
#include "text/utf8.hpp"
#include "words/in_words.hpp"

#include <algorithm>

namespace tfx {

namespace {

/// What tfx next showed before any lesson, as the progress calls it.
const std::string tour_name = "tour";

class Way : CourseScreen {
public:
  explicit Way(Context& context)
      : CourseScreen(context.style()), context_(context), progress_(read_progress().progress) {
    note_broken_progress(context);
  }

  void next() {
    if (const TutorialPath* path = path_on(progress_)) {
      run_block(*path, *next_block(progress_, *path), context_);
      paragraph(word("tutorial.leave", {{"id", path->id}}));
    } else if (!last_lesson(progress_) && progress_.mark(tour_name) == Mark::none) {
      run_typed("tour", context_);
      if (shows_screen()) record_progress(tour_name, Mark::seen, context_);
    } else if (const auto [lesson, page] = next_page(progress_); lesson) {
      show(*lesson, page);
    } else {
      close();
    }
    context_.out += out_;
  }

private:
  /// What comes of the lesson's question, and what the learner thought of it.
  struct Thought {
    Trace trace;
    std::string typed, because;
  };

  void show(const Lesson& lesson, const std::string& page) {
    const std::optional<Thought> thought = is_dialogue() && page.empty() ? ask(lesson) : std::nullopt;
    if (lesson.takes_long)
      paragraph(word("next.takes_long", {{"command", lesson.typed}, {"title", title_in(lesson.folder)}}));
    else
      run_typed(typed_of(lesson, page), context_);
    if (shows_screen()) record_progress(mark_of_page(lesson, page), Mark::seen, context_);
    if (is_dialogue()) {
      show_now();
      if (thought) answer(*thought);
    }
    if (!page_after(lesson, page).empty()) {
      if (is_dialogue()) paragraph(word("next.go_on.only"));
      return;
    }
    if (!lesson.offer.empty()) offer(lesson);
    if (exercise_named(lesson.command) && !is_written(progress_, lesson.command))
      paragraph(word("exercise.offer", {{"lesson", lesson.command}}));
    if (!is_dialogue()) return;
    paragraph(has_questions(lesson) ? word("next.go_on", {{"lesson", lesson.command}})
                                    : word("next.go_on.only"));
  }

  std::optional<Thought> ask(const Lesson& lesson) {
    Thought thought;
    if (lesson.on_page == OnPage::whole) thought.trace = run_lesson(lesson, {}, RunFor::values).trace;
    const Words of_lesson = words_in(lesson.folder);
    const Paper paper(thought.trace, of_lesson, style_);
    const auto predict = paper.word("predict"), because = paper.word("because");
    if (!predict || !because) return std::nullopt;
    say(style_.bold(in_course(lesson.number, common_words()) + "  tfx " + lesson.typed) + "\n\n");
    say(labelled(thought.trace, words_, style_, "predict", *predict) + "\n");
    say(style_.dim(word("next.think")) + " ");
    thought.because = *because;
    thought.typed = next_line().value_or("");
    say("\n");
    return thought;
  }

  void answer(const Thought& thought) {
    if (!thought.typed.empty())
      out_ += labelled(thought.trace, words_, style_, "thought", escape_controls(thought.typed));
    out_ += labelled(thought.trace, words_, style_, "answer", thought.because) + "\n";
  }

  /// What may be run between two lessons: at a terminal by a key.
  void offer(const Lesson& lesson) {
    paragraph(word("next.offer." + lesson.command, {{"command", "tfx " + lesson.offer}}));
    if (!is_dialogue()) return;
    say(std::exchange(out_, {}));
    say(style_.dim(word("next.offer")) + " ");
    const auto typed = next_line();
    say("\n");
    if (typed != "y" && typed != "Y") return;
    run_typed(lesson.offer, context_);
    show_now();
  }

  void show_now() { tfx::show_now(std::exchange(context_.out, {}), !context_.global.no_pager); }

  /// Behind the last lesson: what one can do now, where to read on, what is open.
  void close() {
    heading(word("closing.title"), "tfx next");
    out_ += "\n";
    const Trace nothing;
    Paper paper(nothing, words_, style_);
    for (const std::string key : {"can", "now", "read"}) {
      const std::string lines = word("closing." + key);
      std::string name = word("label.closing." + key);
      for (std::size_t start = 0; start < lines.size();) {
        const std::size_t end = std::min(lines.find('\n', start), lines.size());
        paper.row(name, lines.substr(start, end - start));
        start = end + 1, name.clear();
      }
    }
    out_ += paper.take();
    std::vector<std::string> open;
    for (const Lesson& lesson : lessons())
      if (!is_complete(progress_, lesson)) open.push_back(lesson.command);
    out_ += "\n";
    paragraph(open.empty()
                  ? word("progress.all_done")
                  : word("closing.open", {{"count", std::to_string(open.size())}, {"lesson", open.front()}}));
  }

  Context& context_;
  const CourseProgress progress_;
};

} // namespace

Command next_command() {
  return command_row<Anything>("next", [](const Anything&, Context& context) { Way(context).next(); });
}

} // namespace tfx
