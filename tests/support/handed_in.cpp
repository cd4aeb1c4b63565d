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

namespace {

// Cells of a line; in quotes a comma is no end.
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

std::string joined(const std::vector<std::string>& words) {
  return words.empty() ? "nothing" : join(words, "; ");
}

// "seen.factor" of "seen.factor=√3", and the words behind it.
bool says(const HandIn& one, const std::string& observation) {
  return std::ranges::any_of(one.says, [&](const std::string& told) {
    const std::size_t at = told.find('=');
    return observation.starts_with(told.substr(0, at) + "=") &&
           (at == std::string::npos || observation.find(told.substr(at + 1)) != std::string::npos);
  });
}

bool names(const HandIn& one, const std::vector<std::string>& suspects) {
  return std::ranges::any_of(suspects,
                             [&](const std::string& id) { return std::ranges::count(one.says, id) > 0; });
}

} // namespace

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

Said said_of(const HandIn& one) {
  CaseRule rule;
  rule.typed = one.typed;
  const Lesson& lesson = find_lesson(one.lesson);
  InputOptions options = rule.options();
  options.word_draws = WordDraws::in_order; // the sets were written for version 0.1's inputs
  const Trace right = run_lesson(lesson, options).trace;
  CheckReport report = check_arrays(right, one.arrays, {}, parse_names("--require", lesson.result));
  tell_option(report, lesson, options, right, one.arrays, {});
  Said said;
  said.equal = report.equal();
  for (const Suspect& suspect : report.diagnosis.suspects)
    (report.diagnosis.confidence == Confidence::sure ? said.sure : said.perhaps).push_back(suspect.id());
  for (const Observation& seen : report.observations) {
    std::string text = "seen." + seen.id + "=";
    for (const auto& [key, fact] : seen.facts) text += key + ":" + format_fact(fact, 6) + " ";
    said.seen.push_back(text);
  }
  return said;
}

Figures figures_of(const std::string& set) {
  Figures figures;
  for (const HandIn& one : hand_ins(set)) {
    const Said said = said_of(one);
    const bool pinned = std::ranges::any_of(said.seen, [&](const auto& seen) { return says(one, seen); });
    std::vector<std::string> all = said.sure;
    for (const std::string& id : said.perhaps) all.push_back("perhaps " + id);
    all.insert(all.end(), said.seen.begin(), said.seen.end());
    bool missed = false;
    if (one.wrong) {
      const bool named = names(one, said.sure) || names(one, said.perhaps);
      ++figures.wrong, figures.found += !said.equal;
      figures.sure += names(one, said.sure);
      figures.named += named, figures.pinned += !named && pinned;
      const bool falsely = !said.sure.empty() && !named;
      figures.accused_falsely += falsely;
      missed = falsely || (!named && !pinned);
      if (falsely) all.insert(all.begin(), "FALSELY");
    } else {
      ++figures.different, figures.accepted += said.equal;
      const bool told = !said.equal && (pinned || names(one, said.sure) || names(one, said.perhaps));
      figures.told += told;
      missed = !said.equal && !told;
    }
    if (missed) figures.missed.push_back(one.name + " (" + one.cause + "): " + joined(all));
  }
  return figures;
}

} // namespace tfx
