#include "cli/break/mistake_words.hpp"

#include "render/paper.hpp"
#include "text/names.hpp"
#include "words/in_words.hpp"

#include <algorithm>

namespace tfx {

namespace {

const std::string& line_in(ProgramLanguage language, const LineOfCode& code) {
  switch (language) {
  case ProgramLanguage::numpy: return code.numpy;
  case ProgramLanguage::torch: return code.torch;
  case ProgramLanguage::cpp: return code.cpp;
  }
  return code.numpy;
}

} // namespace

MistakeWords words_of(const Mistake& mistake, const Trace& right, const Style& style,
                      ProgramLanguage language) {
  const Words words = words_in(mistake.folder);
  const Paper paper(right, words, style);
  return {paper.word("mistake." + mistake.id + ".symptom").value_or(""),
          paper.word("mistake." + mistake.id, {{"code", line_in(language, mistake.code)}}).value_or("")};
}

std::string instead(const WrongRun& run, const Trace& right) {
  if (run.made.empty()) return "";
  constexpr std::size_t max_steps = 2; // the same in each head says it twice
  std::vector<std::string> steps;
  for (const std::string& name : run.made) {
    const Step &wrong = *run.trace.find(name), &as_taught = *right.find(name);
    if (steps.size() == max_steps || wrong.formula == as_taught.formula) continue;
    steps.push_back(in_words("mistake.instead",
                             {{"name", wrong.name}, {"wrong", wrong.formula}, {"right", as_taught.formula}}));
  }
  if (steps.size() == max_steps)
    return in_words("mistake.instead_both", {{"first", steps[0]}, {"second", steps[1]}});
  return steps.empty() ? "" : steps[0];
}

std::string described(const Mistake& mistake, const Trace& right, const Style& style) {
  if (!mistake.by) return instead(run_wrong(right, {&mistake}), right);
  const std::string advice = words_of(mistake, right, style).advice;
  return advice.substr(0, std::min({advice.find(". "), advice.find("。"), advice.find_last_not_of('.') + 1}));
}

std::optional<std::string> command_that_shows(const Mistake& mistake) {
  if (mistake.seen_with.empty()) return std::nullopt;
  const auto lesson = std::ranges::find(lessons(), mistake.folder, &Lesson::folder);
  std::string command = "tfx break " + lesson->command + " --with " + mistake.id;
  for (const auto& [option, value] : mistake.seen_with) command += " " + option + " " + shell_quoted(value);
  return command;
}

namespace {

std::string said_of(const std::string& property, std::optional<double> measured = {}) {
  const Words words = common_words();
  const Trace none;
  const Style style;
  return Paper(none, words, style).property(property, measured);
}

} // namespace

std::string sentence_of(const std::string& property) {
  return said_of(property);
}

std::string sentence_of(const PropertyVerdict& verdict) {
  if (!verdict.error.empty())
    return in_words("break.fails", {{"sentence", sentence_of(verdict.property)},
                                    {"error", in_learners_language(verdict.error)}});
  return said_of(verdict.property, verdict.measured.value);
}

} // namespace tfx
