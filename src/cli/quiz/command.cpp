// tfx quiz [LESSON]: cells, shapes and words to find by hand; at a terminal with hints, from a script an
// answer a line. For programs the same is JSON.

#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/course/progress_file.hpp"
#include "cli/lesson/screen.hpp"
#include "cli/model/walk.hpp"
#include "cli/options.hpp"
#include "cli/quiz/question_dialogue.hpp"
#include "cli/quiz/question_text.hpp"
#include "cli/terminal_lines.hpp"
#include "lessons/run.hpp"
#include "render/report.hpp"
#include "text/display_width.hpp"
#include "text/utf8.hpp"
#include "words/in_words.hpp"

#include <limits>

namespace tfx {

// The quiz for programs: a grader reads the verdicts, a page of exercises the questions and their answers.

namespace {

Cell cell_of(const Answer& answer) {
  if (const auto* number = std::get_if<NumberAnswer>(&answer)) return number->value;
  if (const auto* count = std::get_if<CountAnswer>(&answer)) return Count{count->value};
  if (const auto* mask = std::get_if<MaskAnswer>(&answer)) return Count{mask->open};
  if (const auto* sign = std::get_if<SignAnswer>(&answer)) return Integer{sign->positive ? 1 : -1};
  if (const auto* word = std::get_if<WordAnswer>(&answer)) return Count{word->right.front()};
  return std::get<ShapeAnswer>(answer).shape;
}

Cell cell_of(const std::optional<AnswerDiagnosis>& found) {
  if (!found) return None{};
  return Object{{{"id", found->id},
                 {"mistake", text_or_none(found->mistake)},
                 {"tensor", text_or_none(found->tensor)},
                 {"index", Shape(found->index)}}};
}

std::string name_of(const std::optional<Verdict>& verdict) {
  if (!verdict) return "unanswered";
  return *verdict == Verdict::right ? "right" : *verdict == Verdict::wrong ? "wrong" : "unreadable";
}

std::string quiz_json(const Quiz& quiz, const Context& context) {
  const Words words = course_words();
  Objects questions;
  for (const QuizItem& item : quiz.items) {
    const QuestionText text(*item.trace, item.question, context, words);
    questions.push_back({{{"lesson", item.lesson->command},
                          {"tutorial", item.trace->tutorial},
                          {"kind", std::string(tfx::name_of(item.question.kind))},
                          {"question", text.ask()},
                          {"tensor", item.question.tensor},
                          {"index", Shape(item.question.index)},
                          {"answer", cell_of(item.question.answer)},
                          {"text", text_of(item.question.answer)},
                          {"given", or_none(item.typed)},
                          {"verdict", name_of(item.verdict)},
                          {"why", text.why()},
                          {"diagnosis", cell_of(item.diagnosis)}}});
  }
  Report report{frame_of_command("quiz"), {}};
  report.parts = {Member{"lesson", or_none(quiz.lesson)}, Member{"seed", Count{quiz.seed}},
                  Member{"count", Count{quiz.items.size()}}, Member{"right", Count{quiz.right()}},
                  Member{"questions", std::move(questions)}};
  return render_json(report, words);
}

} // namespace

namespace {

struct QuizOptions {
  std::optional<std::string> lesson;
  std::optional<std::size_t> count;
  bool json = false;
  InputOptions input;
  ModelOptions model;

  /// What was given of the run, as one would type it again, but for the seed.
  std::string own() const {
    InputOptions of_lesson = input;
    ModelOptions of_model = model;
    of_lesson.seed.reset(), of_model.seed.reset();
    return typed_again(input_options(), of_lesson) + typed_again(model_options(), of_model) +
           (count ? " --count " + std::to_string(*count) : "");
  }
};

constexpr std::size_t usual_count = 5;

class QuizScreen {
public:
  QuizScreen(Quiz& quiz, const QuizOptions& options, Context& context)
      : quiz_(quiz), options_(options), context_(context), style_(context.style()), words_(course_words()) {}

  // A line of the script answers a question; what it does not answer is counted as wrong.
  std::string scripted() {
    std::string shown = title();
    for (std::size_t i = 0; i < quiz_.items.size(); ++i) {
      QuizItem& item = quiz_.items[i];
      const QuestionText text(*item.trace, item.question, context_, words_);
      shown += "\n" + question(i, text);
      if (const auto typed = has_script() ? next_line() : std::nullopt) answer(item, *typed);
      if (item.verdict) shown += paragraph(word("quiz.answered", {{"answer", *item.typed}}));
      shown += verdict(item, text);
    }
    return shown + "\n" + score();
  }

  // Ctrl-D ends the questions.
  void at_terminal() {
    say(title() + style_.dim(paragraph(word("quiz.how"))));
    for (std::size_t i = 0; i < quiz_.items.size(); ++i) {
      QuizItem& item = quiz_.items[i];
      const QuestionText text(*item.trace, item.question, context_, words_);
      say("\n" + question(i, text));
      const Outcome outcome = answer_at_terminal(*item.trace, item.question, text, words_, style_);
      if (outcome == Outcome::right) item.verdict = Verdict::right;
      if (outcome == Outcome::ended) break;
    }
    say("\n" + score());
  }

private:
  std::string word(const std::string& key, const std::map<std::string, std::string>& values = {}) const {
    return fill_in(*words_.find(key), [&](const std::string& name) { return std::optional(values.at(name)); })
        .value();
  }

  std::string paragraph(const std::string& text) const {
    std::string lines;
    for (const std::string& line : wrap(style_.symbols(escape_controls(text)), style_.width))
      lines += line + "\n";
    return lines;
  }

  std::string title() const {
    std::map<std::string, std::string> values = {{"count", std::to_string(quiz_.items.size())},
                                                 {"seed", std::to_string(quiz_.seed)}};
    const std::string all = style_.bold(paragraph(word("quiz.title", values)));
    if (!quiz_.lesson) return all;
    const Lesson& lesson = *quiz_.items.front().lesson;
    values.insert({{"lesson", lesson.command}, {"title", title_in(lesson.folder)}});
    return style_.bold(paragraph(word("quiz.title_of", values))) + all;
  }

  std::string question(std::size_t number, const QuestionText& text) const {
    const Lesson& lesson = *quiz_.items[number].lesson;
    const std::map<std::string, std::string> values = {{"number", std::to_string(number + 1)},
                                                       {"count", std::to_string(quiz_.items.size())},
                                                       {"lesson", lesson.command},
                                                       {"title", title_in(lesson.folder)}};
    std::string shown = style_.dim(paragraph(word(quiz_.lesson ? "quiz.number" : "quiz.lesson", values)));
    shown += style_.bold(paragraph(text.ask()));
    for (const std::string& line : text.given()) shown += line + "\n";
    return shown;
  }

  std::string verdict(const QuizItem& item, const QuestionText& text) const {
    if (item.verdict == Verdict::right) return judged(true, text.right(), style_) + reason(text, style_);
    const std::string said = !item.verdict                         ? word("answer.unanswered")
                             : item.verdict == Verdict::unreadable ? text.unreadable()
                             : item.diagnosis                      ? text.wrong(item.diagnosis)
                                                                   : word("answer.wrong");
    return judged(false, said, style_) + "  " + paragraph(word("answer.was", {{"answer", text.answer()}})) +
           reason(text, style_);
  }

  std::string score() const {
    const std::size_t right = quiz_.right(), count = quiz_.items.size();
    std::string shown = paragraph(right == count ? word("quiz.all_right")
                                                 : word("quiz.score", {{"right", std::to_string(right)},
                                                                       {"count", std::to_string(count)}}));
    const std::string command = "tfx quiz" + (quiz_.lesson ? " " + *quiz_.lesson : std::string());
    const std::string own = options_.own();
    if (right < count && is_dialogue())
      shown += paragraph(
          word("quiz.once_more", {{"command", command + own + " --seed " + std::to_string(quiz_.seed)}}));
    return shown +
           paragraph(word("quiz.others",
                          {{"command", command + own + " --seed " + std::to_string(quiz_.seed + 1)}}));
  }

  Quiz& quiz_;
  const QuizOptions& options_;
  Context& context_;
  const Style style_;
  const Words words_;
};

/// About the model that `tfx model` shows with these options. The numbers of a trained one stay: the seed
/// chooses what is asked about them.
Quiz model_quiz(const ModelOptions& options, std::size_t count, int precision) {
  ModelOptions without_seed = options;
  without_seed.seed.reset();
  GivenModel<double> given = given_model<double>(without_seed);
  if (!given.is_trained && options.seed) given = given_model<double>(options);
  Trace page = trace_on_page(given);
  const std::optional<Experiment> lost = quick_ablation(given, page);
  std::vector<Question> effects = lost ? effect_questions(*lost) : std::vector<Question>{};
  return quiz_of(find_lesson("model"), std::move(page), std::move(effects), options.seed.value_or(42), count,
                 precision);
}

void run_quiz(const QuizOptions& options, Context& context) {
  if (options.lesson) lesson_for("quiz", *options.lesson);
  const std::size_t count = options.count.value_or(usual_count);
  const int precision = context.style().precision;
  Quiz quiz = options.lesson && lesson_named(*options.lesson)->on_page == OnPage::model
                  ? model_quiz(options.model, count, precision)
                  : make_quiz(options.lesson, options.input, options.input.seed.value_or(42), count,
                              precision, context.notes);
  if (quiz.items.empty())
    throw Error(ErrorKind::bad_data, Message::given(*course_words().find("quiz.nothing")));
  if (options.json) {
    for (QuizItem& item : quiz.items)
      if (const auto typed = has_script() ? next_line() : std::nullopt) answer(item, *typed);
    context.out = quiz_json(quiz, context);
  } else if (QuizScreen screen(quiz, options, context); is_dialogue()) {
    screen.at_terminal();
  } else {
    context.out = screen.scripted();
  }
  const bool all_right = quiz.right() == quiz.items.size();
  context.status = all_right ? 0 : 1;
  if (options.lesson && is_dialogue())
    record_progress(*options.lesson, all_right && asks_for_thought(quiz, precision) ? Mark::done : Mark::seen,
                    context);
}

} // namespace

Command quiz_command() {
  using O = QuizOptions;
  const auto of_all = [](CLI::App& command, O& o) {
    add_options<O>(command,
                   {{"--count", &O::count, value::count(1, 1000), usual_count}, {"--json", &O::json}}, o);
  };
  const auto options = [of_all](CLI::App& command, O& o, Context&) {
    add_argument(command, "LESSON", o.lesson, in_words("quiz.lesson"));
    of_all(command, o);
    add_options(command, input_options(), o.input);
  };
  const auto of_model = [of_all](CLI::App& command, O& o, Context&) {
    o.lesson = "model";
    of_all(command, o);
    add_options(command, model_options(), o.model);
  };
  return command_row<O>("quiz", run_quiz, options, of_model);
}

} // namespace tfx
