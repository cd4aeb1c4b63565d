#include "cli/check/feedback.hpp"

#include "cli/break/mistake_words.hpp"
#include "core/number.hpp"
#include "render/paper.hpp"
#include "render/style.hpp"
#include "words/in_words.hpp"

#include <algorithm>
#include <cmath>

namespace tfx {

namespace {

using Said = std::vector<Sentence>;

// A mistake is made wherever it can be; half of one is told as that.
void add_only_at(const Mistake& mistake, const std::string& at, const Trace& right, Said& said) {
  std::vector<std::string> others = run_wrong(right, {&mistake}).made;
  std::erase(others, at);
  if (others.empty()) return;
  Values values = list_in_both("others", others);
  values["at"] = at;
  said.push_back({"only_at", std::move(values)});
}

// Its id and formula; of an only one its symptom too, and what to do.
void add_suspect(const Suspect& suspect, bool alone, const Trace& right, ProgramLanguage language,
                 Said& said) {
  if (!alone && suspect.made.size() > 1) return said.push_back({"suspect", {{"id", suspect.id()}}});
  for (const Mistake* mistake : suspect.made) {
    const std::string id = (mistake == suspect.made[0] ? "" : "+ ") + mistake->id;
    if (const auto formula = formulas_instead(run_wrong(right, {mistake}, suspect.at), right))
      said.push_back({"suspect.formula", {{"id", id}}, {{"formula", *formula}}});
    else
      said.push_back({"suspect", {{"id", id}}});
    if (!alone) continue;
    if (!suspect.at.empty()) add_only_at(*mistake, suspect.at, right, said);
    said.push_back(symptom_of(*mistake));
    said.push_back(advice_of(*mistake, language));
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

Said mistakes_said(const Diagnosis& diagnosis, const std::string& tensor, const Trace& right,
                   ProgramLanguage language) {
  if (diagnosis.confidence == Confidence::none) return {};
  constexpr std::size_t max_suspects = 4;
  const std::size_t shown = std::min(diagnosis.suspects.size(), max_suspects);
  const std::string key = diagnosis.doubt == Doubt::several ? "one_of"
                          : diagnosis.doubt != Doubt::none
                              ? std::string("perhaps.") + name_of(diagnosis.doubt)
                          : diagnosis.suspects[0].made.size() > 1 ? "both"
                                                                  : "sure";
  Values values = list_in_both("fits", diagnosis.fits);
  values.merge(list_in_both("contradicts", diagnosis.contradicts));
  values["tensor"] = tensor;
  Said said{{key, std::move(values)}};
  for (std::size_t i = 0; i < shown; ++i)
    add_suspect(diagnosis.suspects[i], shown == 1, right, language, said);
  if (shown < diagnosis.suspects.size())
    said.push_back({"more", {{"count", std::to_string(diagnosis.suspects.size() - shown)}}});
  return said;
}

namespace {

// "√d_k = √3" does of 1.7321; "−1" of -1 does not.
bool says_more(const std::string& value, const std::string& meaning) {
  const std::string minus = "−";
  return !meaning.empty() && meaning != value &&
         !(value.starts_with('-') && meaning == minus + value.substr(1));
}

} // namespace

Said seen_said(const std::vector<Observation>& observations, const std::string& tensor, int precision) {
  Said said;
  for (const Observation& one : observations) {
    if (!is_worth_saying(observations, one)) continue;
    std::map<std::string, std::string> texts = {{"tensor", tensor}};
    for (const auto& [key, fact] : one.facts)
      texts[key] = key == "sum" ? sum_beside_one(std::get<double>(fact), precision)
                                : format_fact(fact, std::max(precision, 4));
    std::string key = "seen." + one.id;
    if (one.id == "factor" && !says_more(texts["value"], texts["meaning"])) key += ".plain";
    for (const char* kind : {"how", "where", "of"})
      if (one.facts.contains(kind)) key += "." + texts[kind];
    said.push_back({key, {texts.begin(), texts.end()}});
  }
  return said;
}

Sentence first_cell_said(const std::string& cell, double yours, int precision) {
  return {"first", {{"cell", cell}, {"yours", screen_number(yours, precision)}}};
}

std::set<std::string> folders_of(const Diagnosis& diagnosis) {
  std::set<std::string> folders;
  for (const Suspect& suspect : diagnosis.suspects)
    for (const Mistake* mistake : suspect.made) folders.insert(mistake->folder);
  return folders;
}

Sentence differs_said(const CheckedTensor& wrong) {
  const Difference& d = wrong.difference;
  if (!d.same_shape)
    return {"feedback.shape", {{"name", wrong.name}, {"yours", to_string(wrong.yours.shape)}}};
  return {"feedback.differs",
          {{"name", wrong.name},
           {"different", with_separators(d.different)},
           {"cells", with_separators(d.cells)}}};
}

std::vector<std::string> lines_of(const Said& said, const Words& words, const Trace& right,
                                  const Style& style) {
  const Paper paper(right, words, style);
  std::vector<std::string> lines;
  for (const Sentence& sentence : said)
    if (auto text = text_of(sentence, paper); text && !text->empty()) lines.push_back(std::move(*text));
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
  const Words words = words_quoting("src/cli/check", folders_of(report.diagnosis));
  if (report.equal()) return as_one_text(lines_of({{"feedback.right"}}, words, right, style));
  const CheckedTensor& wrong = report.tensors[*report.first_wrong];
  Said said{differs_said(wrong)};
  std::ranges::move(mistakes_said(report.diagnosis, wrong.name, right), std::back_inserter(said));
  std::ranges::move(seen_said(report.observations, wrong.name, style.precision), std::back_inserter(said));
  return as_one_text(lines_of(said, words, right, style));
}

namespace {

const char* name_of(Confidence confidence) {
  switch (confidence) {
  case Confidence::none: return "none";
  case Confidence::perhaps: return "perhaps";
  case Confidence::sure: return "sure";
  }
  return "none";
}

} // namespace

Names ids_of(const std::vector<const Mistake*>& mistakes) {
  Names ids;
  for (const Mistake* mistake : mistakes) ids.push_back(mistake->id);
  return ids;
}

Member mistake_member(const std::vector<std::string>& ids) {
  if (ids.size() > 1) return {"mistake", Names(ids)};
  return {"mistake", ids.empty() ? Cell(None{}) : ids[0]};
}

std::vector<Member> suspect_members(const Diagnosis& diagnosis) {
  Objects suspects;
  for (const auto& suspect : diagnosis.suspects)
    suspects.push_back({{{"ids", ids_of(suspect.made)}, {"at", text_or_none(suspect.at)}}});
  return {{"confidence", std::string(name_of(diagnosis.confidence))},
          {"mistakes", std::move(suspects)},
          {"doubt", text_or_none(tfx::name_of(diagnosis.doubt))},
          {"fits", Names(diagnosis.fits)},
          {"contradicts", Names(diagnosis.contradicts)}};
}

} // namespace tfx
