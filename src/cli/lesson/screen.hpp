#pragma once
// A lesson on the screen: what frames it there and in an HTML document; and with --step the same screen a
// step at a time, with a question before each.

#include "cli/context.hpp"
#include "course/question.hpp"
#include "input/options.hpp"
#include "lessons/catalogue.hpp"
#include "render/report.hpp"

#include <functional>

namespace tfx {

/// The frame of the lesson of that command: its command, its number, what comes next.
Screen frame_of(const std::string& command);

/// The frame of a command that is no lesson; its words stand in its folder, src/cli/NAME.
Screen frame_of_command(const std::string& command);

/// That frame is about a lesson: the words of "page.lesson" name it, and quote the facts number_en and
/// title_en, and those of Chinese.
void name_lesson(Screen& frame, Trace& trace, const Lesson& lesson);

/// Its title in both languages.
Sentence title_of(const Lesson& lesson);

/// With what belongs to a run on the page.
Screen screen_of(const Lesson& lesson, const InputOptions& options, const Trace& trace);

/// The screen is one page of the lesson, by default the first, and leads to the next. Throws Error(usage)
/// where the lesson has no such page.
void turn_to(Screen& screen, const Lesson& lesson, const std::optional<std::string>& page);

/// The argument that names a further page of the lesson.
void add_page_argument(CLI::App& command, const Lesson& lesson, std::optional<std::string>& page);

/// What a trained model did with these words, and which command shows learned numbers: for whoever renders
/// the page, as a model may be read for it. With `ascii` no box that holds Chinese.
void add_learned(Screen& screen, const Lesson& lesson, const InputOptions& options, const Trace& trace,
                 bool ascii);

/// The status of the program: 0 where every check of the run passes, else 1.
int status_of(const Trace& trace);

/// The facts that the words "glimpse" of a lesson quote: what a shipped model answers to its example, and
/// which token of the source had most of the weight as it wrote each. The model writes Chinese, or with
/// `ascii` what every terminal shows. Nothing where no such model is shipped.
void add_glimpse(Trace& trace, bool ascii);

/// At a terminal it waits for answers and writes as it goes; elsewhere it leaves the whole screen in
/// context.out, each question with its answer.
void step_through(const Trace& trace, Screen screen, const Words& words, std::uint64_t seed,
                  Context& context);

/// The first part, then before each further one its question; below it what it is answered from, where
/// `is_unseen` says that the parts have not shown it.
void ask_between(const Trace& trace, const std::vector<std::string>& parts,
                 const std::vector<Question>& asked, const std::function<bool(const Question&)>& is_unseen,
                 const Words& words, const std::string& lesson, Context& context);

} // namespace tfx
