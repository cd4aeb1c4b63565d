// tfx quiz [LESSON]: cells, shapes and words to find by hand; at a terminal with hints, from a script an
// answer a line.

#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/course/progress_file.hpp"
#include "cli/lesson/save.hpp"
#include "cli/lesson/screen.hpp"
#include "cli/model/walk.hpp"
#include "cli/options.hpp"
#include "cli/quiz/question_dialogue.hpp"
#include "cli/quiz/question_text.hpp"
#include "cli/terminal_lines.hpp"
#include "lessons/run.hpp"
#include "words/in_words.hpp"

#include <functional>

namespace tfx {

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

struct QuizOptions {
  std::optional<std::string> lesson;
  std::optional<std::size_t> count;
  ShowOptions show;
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

/// What is said of a question in both languages.
class BothTexts {
public:
  BothTexts(const QuizItem& item, const Style& style)
      : en_(*item.trace, item.question, style, Language::en),
        zh_(*item.trace, item.question, style, Language::zh) {}

  template <class Text, class... Arguments>
  Sentence operator()(Text text, const Arguments&... arguments) const {
    return either(std::invoke(text, en_, arguments...), std::invoke(text, zh_, arguments...));
  }

private:
  QuestionText en_, zh_;
};

/// Of a screen and of a page.
class QuizParts {
public:
  QuizParts(const Quiz& quiz, const QuizOptions& options, const Style& style)
      : quiz_(quiz), options_(options), style_(style) {}

  Report untitled() const {
    Report report{frame_of_command("quiz"), {}};
    report.title = Title::none;
    report.frame.quoted = {"src/course"};
    report.frame.options = typed(quiz_.seed);
    return report;
  }

  void add_title(Report& report) const {
    if (quiz_.lesson) {
      const Lesson& lesson = *quiz_.items.front().lesson;
      report.add(
          Heading{Sentence{"quiz.title_of", {{"lesson", lesson.command}}, {{"title", title_of(lesson)}}}});
    }
    Heading of_all{Sentence{
        "quiz.title", {{"count", std::to_string(quiz_.items.size())}, {"seed", std::to_string(quiz_.seed)}}}};
    of_all.is_spaced = true;
    report.add(of_all);
  }

  void add_question(Report& report, std::size_t number) const {
    const QuizItem& item = quiz_.items[number];
    report.add(Heading{Sentence{quiz_.lesson ? "quiz.number" : "quiz.lesson",
                                {{"number", std::to_string(number + 1)},
                                 {"count", std::to_string(quiz_.items.size())},
                                 {"lesson", item.lesson->command}},
                                {{"title", title_of(*item.lesson)}}}});
    report.add(Heading{BothTexts(item, style_)(&QuestionText::ask)});
    report.add(Drawing{[&item](const Style& style, Language language) {
      return QuestionText(*item.trace, item.question, style, language).given();
    }});
  }

  void add_verdict(Report& report, const QuizItem& item) const {
    const BothTexts text(item, style_);
    if (item.verdict) report.add(Row{"answer", *item.typed});
    if (item.verdict == Verdict::right)
      return report.add(
          Finding{Finding::Mark::good, {text(&QuestionText::right)}, {text(&QuestionText::why)}});
    const Sentence said = !item.verdict                         ? Sentence{"answer.unanswered"}
                          : item.verdict == Verdict::unreadable ? text(&QuestionText::unreadable)
                          : item.diagnosis                      ? text(&QuestionText::wrong, item.diagnosis)
                                                                : Sentence{"answer.wrong"};
    const Sentence was{"answer.was", {}, {{"answer", text(&QuestionText::answer)}}};
    report.add(Finding{Finding::Mark::bad, {said}, {was, text(&QuestionText::why)}});
  }

  void add_score(Report& report) const {
    const std::size_t right = quiz_.right(), count = quiz_.items.size();
    report.say(
        right == count
            ? Sentence{"quiz.all_right"}
            : Sentence{"quiz.score", {{"right", std::to_string(right)}, {"count", std::to_string(count)}}});
    const auto with_seed = [&](std::uint64_t seed) -> Values {
      return {{"command", "tfx quiz" + typed(seed)}};
    };
    if (right < count && is_dialogue()) report.say("quiz.once_more", with_seed(quiz_.seed));
    report.onward = {{"quiz.others", with_seed(quiz_.seed + 1)}};
  }

  /// For programs: a grader reads the verdicts, a page of exercises the questions and their answers.
  void add_members(Report& report) const {
    Objects questions;
    for (const QuizItem& item : quiz_.items) {
      const BothTexts text(item, style_);
      questions.push_back({{{"lesson", item.lesson->command},
                            {"tutorial", item.trace->tutorial},
                            {"kind", std::string(tfx::name_of(item.question.kind))},
                            {"question", text(&QuestionText::ask)},
                            {"tensor", item.question.tensor},
                            {"index", Shape(item.question.index)},
                            {"answer", cell_of(item.question.answer)},
                            {"text", text_of(item.question.answer)},
                            {"given", or_none(item.typed)},
                            {"verdict", name_of(item.verdict)},
                            {"why", text(&QuestionText::why)},
                            {"diagnosis", cell_of(item.diagnosis)}}});
    }
    report.add(Member{"lesson", or_none(quiz_.lesson)});
    report.add(Member{"seed", Count{quiz_.seed}});
    report.add(Member{"count", Count{quiz_.items.size()}});
    report.add(Member{"right", Count{quiz_.right()}});
    report.add(Member{"questions", std::move(questions)});
  }

private:
  /// What stands behind "tfx quiz" to have it with that seed.
  std::string typed(std::uint64_t seed) const {
    return (quiz_.lesson ? " " + *quiz_.lesson : "") + options_.own() + " --seed " + std::to_string(seed);
  }

  const Quiz& quiz_;
  const QuizOptions& options_;
  const Style style_;
};

/// A line of the script answers a question; what it does not answer is counted as wrong.
void answer_by_script(Quiz& quiz) {
  for (QuizItem& item : quiz.items)
    if (const auto typed = has_script() ? next_line() : std::nullopt) answer(item, *typed);
}

Report report_of(const Quiz& quiz, const QuizParts& parts) {
  Report report = parts.untitled();
  parts.add_title(report);
  for (std::size_t i = 0; i < quiz.items.size(); ++i)
    parts.add_question(report, i), parts.add_verdict(report, quiz.items[i]);
  parts.add_score(report);
  parts.add_members(report);
  return report;
}

/// A question after the other; Ctrl-D ends them.
void ask_at_terminal(Quiz& quiz, const QuizParts& parts, const Style& style) {
  const Words words = course_words(), of_parts = words_quoting("src/cli/quiz", {"src/course"});
  const auto say_part = [&](const auto& add) {
    Report report = parts.untitled();
    add(report);
    say(render_screen(report, of_parts, style));
  };
  say_part([&](Report& report) { parts.add_title(report), report.say("quiz.how"); });
  for (std::size_t i = 0; i < quiz.items.size(); ++i) {
    QuizItem& item = quiz.items[i];
    say("\n");
    say_part([&](Report& report) { parts.add_question(report, i); });
    const QuestionText text(*item.trace, item.question, style);
    const auto [outcome, typed] = answer_at_terminal(*item.trace, item.question, text, words, style);
    if (!typed.empty()) answer(item, typed);
    if (outcome == Outcome::ended) break;
  }
  say("\n");
  say_part([&](Report& report) { parts.add_score(report); });
}

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
  if (options.show.save) require_page(*options.show.save);
  const std::size_t count = options.count.value_or(usual_count);
  const int precision = context.style().precision;
  Quiz quiz = options.lesson && lesson_named(*options.lesson)->on_page == OnPage::model
                  ? model_quiz(options.model, count, precision)
                  : make_quiz(options.lesson, options.input, options.input.seed.value_or(42), count,
                              precision, context.notes);
  if (quiz.items.empty())
    throw Error(ErrorKind::bad_data, Message::given(*course_words().find("quiz.nothing")));
  const QuizParts parts(quiz, options, context.style());
  const bool is_asked = is_dialogue() && !options.show.json;
  if (is_asked)
    ask_at_terminal(quiz, parts, context.style());
  else
    answer_by_script(quiz);
  const bool all_right = quiz.right() == quiz.items.size();
  if (options.lesson && is_asked)
    record_progress(*options.lesson, all_right && asks_for_thought(quiz, precision) ? Mark::done : Mark::seen,
                    context);
  Report report = report_of(quiz, parts);
  report.status = all_right ? 0 : 1;
  if (!is_asked) return show_before_saving(report, options.show, context);
  context.status = report.status; // its screen stands at the terminal
  if (options.show.save) save_or_note(report, *options.show.save, context);
}

} // namespace

Command quiz_command() {
  using O = QuizOptions;
  const auto of_all = [](CLI::App& command, O& o) {
    add_options<O>(command, {{"--count", &O::count, value::count(1, 1000), usual_count}}, o);
    add_options(command, page_options(), o.show);
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
