#include "course/quiz.hpp"

#include "course/answer_parser.hpp"
#include "course/idea.hpp"
#include "lessons/run.hpp"

#include <algorithm>
#include <map>
#include <random>

namespace tfx {

std::size_t Quiz::right() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(items, [](const QuizItem& item) { return item.verdict == Verdict::right; }));
}

bool draws_numbers(const InputOptions& o) {
  return o.text || o.words || o.x || o.q || o.k || o.v || o.d_model || o.init || o.batch || o.n_q || o.n_k ||
         o.d_k || o.d_v || o.d_ff || o.memory;
}

namespace {

// Every second one asks for thought, as long as there are any.
std::vector<Question> mixed(std::vector<Question> plain, std::vector<Question> ideas, std::size_t count) {
  std::vector<Question> all;
  auto next = plain.begin();
  auto idea = ideas.begin();
  while (all.size() < count && (next != plain.end() || idea != ideas.end())) {
    const bool thinks = idea != ideas.end() && (all.size() % 2 == 1 || next == plain.end());
    all.push_back(std::move(thinks ? *idea++ : *next++));
  }
  return all;
}

} // namespace

Quiz make_quiz(const std::optional<std::string>& lesson, InputOptions options, std::uint64_t seed,
               std::size_t count, int precision, std::vector<std::string>& notes) {
  Quiz quiz;
  quiz.seed = seed, quiz.lesson = lesson;
  options.seed.reset(); // a tutorial's own numbers stay: the seed chooses what is asked about them
  if (draws_numbers(options)) options.usual_seed = static_cast<std::uint32_t>(seed);
  std::vector<const Lesson*> asked;
  std::mt19937_64 draws(seed); // its numbers are the standard's, those of a distribution the library's
  for (std::size_t i = 0; i < count; ++i)
    asked.push_back(lesson ? &find_lesson(*lesson) : &page_lessons()[draws() % page_lessons().size()].get());
  std::map<const Lesson*, std::vector<QuizItem>> ready;
  for (const Lesson* one : asked) {
    if (ready.contains(one)) continue;
    // Asked of many lessons, each is asked with the options that it reads.
    LessonRun run = run_lesson(
        *one, lesson ? options : fitting<InputOptions, InputRules>(input_options(), options, *one));
    notes.insert(notes.end(), run.notes.begin(), run.notes.end());
    const Trace& trace = quiz.traces.emplace_back(std::move(run.trace));
    const auto wanted = static_cast<std::size_t>(std::ranges::count(asked, one));
    for (Question& question : mixed(questions(trace, seed, wanted, precision),
                                    idea_questions(*one, trace, seed, wanted / 2), wanted))
      ready[one].push_back({one, &trace, std::move(question)});
  }
  std::map<const Lesson*, std::size_t> used;
  for (const Lesson* one : asked)
    if (used[one] < ready[one].size()) quiz.items.push_back(std::move(ready[one][used[one]++]));
  return quiz;
}

Quiz quiz_of(const Lesson& lesson, Trace run, std::vector<Question> ideas, std::uint64_t seed,
             std::size_t count, int precision) {
  Quiz quiz;
  quiz.seed = seed, quiz.lesson = lesson.command;
  const Trace& trace = quiz.traces.emplace_back(std::move(run));
  if (!ideas.empty())
    std::rotate(ideas.begin(), ideas.begin() + static_cast<std::ptrdiff_t>(seed % ideas.size()), ideas.end());
  for (Question& question : mixed(questions(trace, seed, count, precision), std::move(ideas), count))
    quiz.items.push_back({&lesson, &trace, std::move(question)});
  return quiz;
}

bool asks_for_thought(const Quiz& quiz) {
  const auto thinks = [](const QuizItem& item) { return item.question.has_parts(); };
  if (quiz.items.empty() || std::ranges::any_of(quiz.items, thinks)) return !quiz.items.empty();
  const QuizItem& first = quiz.items.front();
  return idea_questions(*first.lesson, *first.trace, quiz.seed, 1).empty();
}

void answer(QuizItem& item, const std::string& typed) {
  item.typed = typed;
  if (plain_text(typed).empty()) return; // an empty line leaves a question out
  item.verdict = judge(item.question.answer, typed);
  if (item.verdict == Verdict::wrong) item.diagnosis = diagnose_answer(*item.trace, item.question, typed);
}

} // namespace tfx
