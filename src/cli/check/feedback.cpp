#include "cli/check/feedback.hpp"

#include "cli/break/mistake_words.hpp"
#include "core/number.hpp"
#include "render/paper.hpp"
#include "render/style.hpp"
#include "text/utf8.hpp"
#include "words/in_words.hpp"

#include <algorithm>
#include <cmath>

namespace tfx {

namespace {

using Lines = std::vector<std::string>;

// A mistake is made wherever it can be; half of one is told as that.
std::string only_at(const Mistake& mistake, const std::string& at, const Trace& right) {
  std::vector<std::string> others = run_wrong(right, {&mistake}).made;
  std::erase(others, at);
  return others.empty() ? "" : in_words("check.only_at", {{"at", at}, {"others", listed(others)}});
}

// Its id and formula; of an only one its symptom too, and what to do.
void add_suspect(const Suspect& suspect, bool alone, const Trace& right, const Style& style,
                 ProgramLanguage language, Lines& lines) {
  if (!alone && suspect.made.size() > 1) return lines.push_back(suspect.id());
  for (const Mistake* mistake : suspect.made) {
    const MistakeWords words = words_of(*mistake, right, style, language);
    std::string text = (mistake == suspect.made[0] ? "" : "+ ") + mistake->id;
    const WrongRun run = run_wrong(right, {mistake}, suspect.at);
    if (const std::string formula = instead(run, right); !formula.empty()) text += ": " + formula;
    lines.push_back(text);
    if (alone && !suspect.at.empty()) lines.push_back(only_at(*mistake, suspect.at, right));
    if (alone && !words.symptom.empty()) lines.push_back(words.symptom);
    if (alone && !words.advice.empty()) lines.push_back(words.advice);
  }
}

// A sum that rounds to 1 by how far it is from it: "1 + 1e-06".
std::string sum_beside_one(double sum, int precision) {
  const double off = sum - 1;
  if (!(std::abs(off) < 1e-3)) return screen_number(sum, precision);
  return (off < 0 ? "1 − " : "1 + ") + format_deviation(std::abs(off));
}

// They come in the order in which they help: all that explain, else the first one. Of a shape too, whose it
// is.
bool is_worth_saying(const std::vector<Observation>& all, const Observation& one) {
  if (is_explained(all)) return kind_of(one).says_what_was_done;
  return &one == &all.front() || one.id == "shape_of";
}

} // namespace

Lines mistake_lines(const Diagnosis& diagnosis, const std::string& tensor, const Trace& right,
                    const Style& style, ProgramLanguage language) {
  if (diagnosis.confidence == Confidence::none) return {};
  constexpr std::size_t max_suspects = 4;
  const std::size_t shown = std::min(diagnosis.suspects.size(), max_suspects);
  const std::string key = diagnosis.doubt == Doubt::several ? "check.one_of"
                          : diagnosis.doubt != Doubt::none
                              ? std::string("check.perhaps.") + name_of(diagnosis.doubt)
                          : diagnosis.suspects[0].made.size() > 1 ? "check.both"
                                                                  : "check.sure";
  Lines lines{in_words(key, {{"tensor", tensor},
                             {"fits", listed(diagnosis.fits)},
                             {"contradicts", listed(diagnosis.contradicts)}})};
  for (std::size_t i = 0; i < shown; ++i)
    add_suspect(diagnosis.suspects[i], shown == 1, right, style, language, lines);
  if (shown < diagnosis.suspects.size())
    lines.push_back(in_words("check.more", {{"count", std::to_string(diagnosis.suspects.size() - shown)}}));
  return lines;
}

namespace {

// "√d_k = √3" does of 1.7321; "−1" of -1 does not.
bool says_more(const std::string& value, const std::string& meaning) {
  const std::string minus = "−";
  return !meaning.empty() && meaning != value &&
         !(value.starts_with('-') && meaning == minus + value.substr(1));
}

} // namespace

Lines seen_lines(const std::vector<Observation>& observations, const std::string& tensor,
                 const Style& style) {
  Lines lines;
  for (const Observation& one : observations) {
    if (!is_worth_saying(observations, one)) continue;
    std::map<std::string, std::string> values = {{"tensor", tensor}};
    for (const auto& [key, fact] : one.facts)
      values[key] = escape_controls(key == "sum" ? sum_beside_one(std::get<double>(fact), style.precision)
                                                 : format_fact(fact, std::max(style.precision, 4)));
    std::string key = "seen." + one.id;
    if (one.id == "factor" && !says_more(values["value"], values["meaning"])) key += ".plain";
    for (const char* kind : {"how", "where", "of"})
      if (one.facts.contains(kind)) key += "." + values[kind];
    lines.push_back(in_words(key, values));
  }
  return lines;
}

std::string as_one_text(const std::vector<std::string>& sentences) {
  const bool chinese = language() == Language::zh;
  std::string text;
  for (const std::string& one : sentences) {
    if (one.empty()) continue;
    const bool ended =
        std::ranges::any_of(std::vector<std::string>{".", ":", "?", "!", "。", "：", "？", "！"},
                            [&](const std::string& mark) { return text.ends_with(mark); });
    if (!text.empty() && !ended) text += chinese ? "；" : ";";
    if (!text.empty() && !chinese) text += " ";
    text += one;
  }
  return text;
}

std::string feedback_of(const CheckReport& report, const Trace& right, const Style& style) {
  if (report.equal()) return in_words("grade.right");
  const CheckedTensor& wrong = report.tensors[*report.first_wrong];
  const Difference& d = wrong.difference;
  Lines parts{d.same_shape
                  ? in_words("grade.differs", {{"name", wrong.name},
                                               {"different", with_separators(d.different)},
                                               {"cells", with_separators(d.cells)}})
                  : in_words("grade.shape", {{"name", wrong.name}, {"yours", to_string(wrong.yours.shape)}})};
  for (std::string& line : mistake_lines(report.diagnosis, wrong.name, right, style))
    parts.push_back(std::move(line));
  for (std::string& line : seen_lines(report.observations, wrong.name, style))
    parts.push_back(std::move(line));
  return as_one_text(parts);
}

} // namespace tfx
