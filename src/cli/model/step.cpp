#include "cli/model/step.hpp"

#include "cli/lesson/step.hpp"
#include "cli/model/walk.hpp"
#include "course/question.hpp"
#include "lessons/run.hpp"
#include "words/in_words.hpp"

#include <algorithm>

namespace tfx {

namespace {

/// How a heading of the walk begins on this screen: bold where it has colours.
std::string heading_mark(const Style& style) {
  const std::string bold = style.bold("|");
  return bold.substr(0, bold.find('|')) + style.symbols("── ");
}

/// What stands before the first heading, then a text for each section.
std::vector<std::string> sections_of(const std::string& walk, const std::string& mark) {
  std::vector<std::string> sections;
  for (std::size_t begin = 0; begin < walk.size();) {
    const std::size_t next = walk.find("\n" + mark, begin);
    const std::size_t end = next == std::string::npos ? walk.size() : next + 1;
    sections.push_back(walk.substr(begin, end - begin));
    begin = end;
  }
  return sections;
}

/// "encoder.layers.0.self_attn" of "── encoder.layers.0.self_attn: each source token …"
std::string subject_of(const std::string& section, const std::string& mark) {
  const std::size_t end = section.find_first_of(" :\n\xef", mark.size()); // a full-width colon begins with EF
  return section.starts_with(mark) ? section.substr(mark.size(), end - mark.size()) : std::string();
}

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

void step_through_model(const std::string& walk, const GivenModel<double>& given, std::uint64_t seed,
                        Context& context) {
  const Style style = context.style();
  const Trace page = trace_on_page(given);
  const std::optional<Experiment> lost = quick_ablation(given, page);
  const std::vector<Question> of_steps = step_questions(page, seed, style.precision),
                              of_parts = lost ? effect_questions(*lost) : std::vector<Question>{};
  const std::string mark = heading_mark(style);
  const std::vector<std::string> sections = sections_of(walk, mark);
  std::vector<std::string> parts{sections.front()};
  std::vector<Question> asked;
  for (std::size_t i = 1; i < sections.size(); ++i) {
    const std::string subject = subject_of(sections[i], mark);
    const Question* question = page.has(subject + ".output") ? question_about(subject, of_steps) : nullptr;
    const bool is_last = i + 1 == sections.size();
    if (!question && is_last && !of_parts.empty()) question = &of_parts.front();
    if (question)
      asked.push_back(*question), parts.push_back(sections[i]);
    else
      parts.back() += sections[i];
  }
  ask_between(page, parts, asked, Known::below, words_in(find_lesson("model").folder), "model", context);
}

} // namespace tfx
