#include "cli/model/step.hpp"

#include "cli/lesson/step.hpp"
#include "cli/model/walk.hpp"
#include "course/question.hpp"
#include "lessons/run.hpp"
#include "words/in_words.hpp"

#include <algorithm>

namespace tfx {

namespace {

/// Of a sublayer: where its weights are largest, if that can be asked, else the first that can.
const Question* question_about(const std::string& sublayer, const std::vector<Question>& asked) {
  const Question* found = nullptr;
  for (const Question& question : asked) {
    if (!question.tensor.starts_with(sublayer + ".")) continue;
    if (!found || question.tensor == sublayer + ".weights") found = &question;
  }
  return found;
}

} // namespace

void step_through_model(const std::vector<WalkSection>& sections, const GivenModel<double>& given,
                        std::uint64_t seed, Context& context) {
  const Style style = context.style();
  const Trace page = trace_on_page(given);
  const std::optional<Experiment> lost = quick_ablation(given, page);
  const std::vector<Question> of_steps = step_questions(page, seed, style.precision),
                              of_parts = lost ? effect_questions(*lost) : std::vector<Question>{};
  std::vector<std::string> parts{sections.front().text};
  std::vector<Question> asked;
  for (std::size_t i = 1; i < sections.size(); ++i) {
    const auto& [subject, text] = sections[i];
    const Question* question = subject.empty() ? nullptr : question_about(subject, of_steps);
    const bool is_last = i + 1 == sections.size();
    if (!question && is_last && !of_parts.empty()) question = &of_parts.front();
    if (question)
      asked.push_back(*question), parts.push_back(text);
    else
      parts.back() += text;
  }
  ask_between(page, parts, asked, Known::below, words_in(find_lesson("model").folder), "model", context);
}

} // namespace tfx
