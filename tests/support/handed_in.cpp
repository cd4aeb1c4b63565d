#include "support/handed_in.hpp"

#include "exercise/exercise.hpp"
#include "io/file.hpp"
#include "io/npz.hpp"
#include "judge/check_report.hpp"
#include "lessons/run.hpp"
#include "options/parse.hpp"
#include "render/paper.hpp"
#include "support/command_line.hpp"
#include "text/names.hpp"

#include <algorithm>
#include <map>
#include <sstream>

namespace tfx {

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      cells.emplace_back();
    else
      cells.back() += c;
  }
  return cells;
}

namespace {

// "seen.factor" of "seen.factor=√3", and the words behind it.
bool says(const std::vector<std::string>& all, const std::string& observation) {
  return std::ranges::any_of(all, [&](const std::string& told) {
    const std::size_t at = told.find('=');
    return observation.starts_with(told.substr(0, at) + "=") &&
           (at == std::string::npos || observation.find(told.substr(at + 1)) != std::string::npos);
  });
}

bool names(const std::vector<std::string>& all, const std::vector<std::string>& suspects) {
  return std::ranges::any_of(suspects,
                             [&](const std::string& id) { return std::ranges::count(all, id) > 0; });
}

} // namespace

Judgement judgement(const Said& said, const std::vector<std::string>& true_ones) {
  return {names(true_ones, said.sure) || names(true_ones, said.perhaps), names(true_ones, said.sure),
          std::ranges::any_of(said.seen, [&](const auto& seen) { return says(true_ones, seen); })};
}

std::string as_text(const Said& said) {
  std::vector<std::string> all = said.sure;
  for (const std::string& id : said.perhaps) all.push_back("perhaps " + id);
  all.insert(all.end(), said.seen.begin(), said.seen.end());
  return all.empty() ? "nothing" : join(all, "; ");
}

std::vector<HandIn> hand_ins(const std::string& set) {
  const std::string path = std::string(TFX_SOURCE_DIR) + "/data/reference/diagnosis/" + set;
  std::map<std::string, std::vector<HandedIn>> arrays;
  for (NamedArray& array : read_npz(read_file(path + ".npz"), path)) {
    const std::size_t at = array.name.rfind('/');
    arrays[array.name.substr(0, at)].push_back({array.name.substr(at + 1), std::move(array.array)});
  }
  std::istringstream lines(read_file(path + ".csv"));
  std::vector<HandIn> all;
  std::string line;
  std::getline(lines, line); // the names of the columns
  while (std::getline(lines, line)) {
    const std::vector<std::string> cells = cells_of(line);
    const std::size_t end = cells[1].find(' ');
    all.push_back({cells[0], cells[1].substr(0, end), cells[1].substr(end + 1), cells[2] == "wrong", cells[3],
                   words_of(cells[4]), std::move(arrays[cells[0]])});
  }
  return all;
}

Said said_of(const Diagnosis& diagnosis, const std::vector<Observation>& observations) {
  Said said;
  for (const Suspect& suspect : diagnosis.suspects)
    (diagnosis.confidence == Confidence::sure ? said.sure : said.perhaps).push_back(suspect.id());
  for (const Observation& seen : observations) {
    std::string text = "seen." + seen.id + "=";
    for (const auto& [key, fact] : seen.facts) text += key + ":" + format_fact(fact, 6) + " ";
    said.seen.push_back(text);
  }
  return said;
}

Said said_of(const HandIn& one) {
  CaseRule rule;
  rule.typed = one.typed;
  const Lesson& lesson = find_lesson(one.lesson);
  InputOptions options = rule.options();
  options.word_draws = WordDraws::in_order; // the sets were written for version 0.1's inputs
  const Trace right = run_lesson(lesson, options).trace;
  CheckReport report = check_arrays(right, one.arrays, {}, parse_names("--require", lesson.result));
  tell_option(report, lesson, options, right, one.arrays, {});
  Said said = said_of(report.diagnosis, report.observations);
  said.equal = report.equal();
  return said;
}

Figures figures_of(const std::string& set) {
  Figures figures;
  for (const HandIn& one : hand_ins(set)) {
    const Said said = said_of(one);
    const Judgement judged = judgement(said, one.says);
    bool missed = false, falsely = false;
    if (one.wrong) {
      ++figures.wrong, figures.found += !said.equal;
      figures.sure += judged.sure;
      figures.named += judged.named, figures.pinned += !judged.named && judged.pinned;
      falsely = !said.sure.empty() && !judged.named;
      figures.accused_falsely += falsely;
      missed = falsely || (!judged.named && !judged.pinned);
    } else {
      ++figures.different, figures.accepted += said.equal;
      const bool told = !said.equal && (judged.pinned || judged.named);
      figures.told += told;
      missed = !said.equal && !told;
    }
    if (missed)
      figures.missed.push_back(one.name + " (" + one.cause + "): " + (falsely ? "FALSELY " : "") +
                               as_text(said));
  }
  return figures;
}

} // namespace tfx
