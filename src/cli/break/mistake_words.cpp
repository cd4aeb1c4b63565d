#include "cli/break/mistake_words.hpp"

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

Sentence symptom_of(const Mistake& mistake) {
  return {"mistake." + mistake.id + ".symptom"};
}

Sentence advice_of(const Mistake& mistake, ProgramLanguage language) {
  return {"mistake." + mistake.id, {{"code", line_in(language, mistake.code)}}};
}

std::optional<Sentence> formulas_instead(const WrongRun& run, const Trace& right) {
  constexpr std::size_t max_steps = 2; // the same in each head says it twice
  std::vector<Sentence> steps;
  for (const std::string& name : run.made) {
    const Step &wrong = *run.trace.find(name), &as_taught = *right.find(name);
    if (steps.size() == max_steps || wrong.formula == as_taught.formula) continue;
    steps.push_back(
        {"instead", {{"name", wrong.name}, {"wrong", wrong.formula}, {"right", as_taught.formula}}});
  }
  return steps.empty() ? std::nullopt : std::optional(list_of("instead.both", std::move(steps)));
}

MistakeWords words_of(const Mistake& mistake, const Trace& right, const Style& style, Language language) {
  const Words words = words_in(mistake.folder, language);
  const Paper paper(right, words, style);
  return {text_of(symptom_of(mistake), paper).value_or(""), text_of(advice_of(mistake), paper).value_or("")};
}

std::string instead(const WrongRun& run, const Trace& right, Language language) {
  const auto formulas = formulas_instead(run, right);
  const Words words = common_words(language);
  return formulas ? text_of(*formulas, Paper(right, words, {})).value() : "";
}

std::string described(const Mistake& mistake, const Trace& right, const Style& style, Language language) {
  if (!mistake.by) return instead(run_wrong(right, {&mistake}), right, language);
  const std::string advice = words_of(mistake, right, style, language).advice;
  return advice.substr(0, std::min({advice.find(". "), advice.find("。"), advice.find_last_not_of('.') + 1}));
}

std::optional<std::string> command_that_shows(const Mistake& mistake) {
  if (mistake.seen_with.empty()) return std::nullopt;
  const auto lesson = std::ranges::find(lessons(), mistake.folder, &Lesson::folder);
  std::string command = "tfx break " + lesson->command + " --with " + mistake.id;
  for (const auto& [option, value] : mistake.seen_with) command += " " + option + " " + shell_quoted(value);
  return command;
}

} // namespace tfx
