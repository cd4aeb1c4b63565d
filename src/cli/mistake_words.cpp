#include "cli/mistake_words.hpp"

#include "render/paper.hpp"

namespace tfx {

MistakeWords words_of(const Mistake& mistake, const Trace& right, const Context& context) {
  const Words words = words_in(mistake.folder, context.language);
  const Style style = context.style();
  const Paper paper(right, words, style);
  return {paper.word("mistake." + mistake.id + ".symptom").value_or(""),
          paper.word("mistake." + mistake.id).value_or("")};
}

std::string instead(const WrongRun& run, const Trace& right, const Context& context) {
  if (run.made.empty()) return "";
  const Step &wrong = *run.trace.find(run.made[0]), &as_taught = *right.find(run.made[0]);
  return context.text("mistake.instead",
                      {{"name", wrong.name}, {"wrong", wrong.formula}, {"right", as_taught.formula}});
}

std::string sentence_of(const Verdict& verdict, const Context& context) {
  const Words words = common_words(context.language);
  const std::string* text = words.find("property." + verdict.property);
  std::string sentence =
      !text ? verdict.property : fill_in(*text, [&](const std::string&) {
                                   return std::optional(format_deviation(verdict.measured.value));
                                 }).value_or(*text);
  if (!verdict.error.empty()) return sentence + ": " + verdict.error;
  return sentence;
}

} // namespace tfx
