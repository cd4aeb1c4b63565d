// What `tfx grade` says of wrong programs that the catalogue was not made of (data/reference/grading): named
// is one whose mistake is said, pinned one of which a formula, an option or what is seen says the cause. The
// figures stand in docs/teaching.md.

#include "exercise/grading.hpp"
#include "io/file.hpp"
#include "io/npz.hpp"
#include "support/catch.hpp"
#include "support/handed_in.hpp"
#include "text/names.hpp"

#include <algorithm>
#include <map>
#include <sstream>

using namespace tfx;

namespace {

struct WrongProgram {
  std::string name, exercise, cause;
  std::vector<std::string> says; // ids of mistakes; "seen.ID", "seen.ID=WORDS"
  std::vector<NamedArray> returned;
};

// "norm.no_eps; seen.instead=1 − cosine": formulas have spaces.
std::vector<std::string> causes_of(const std::string& says) {
  std::vector<std::string> causes;
  for (std::size_t from = 0; from < says.size();) {
    const std::size_t end = std::min(says.find("; ", from), says.size());
    causes.push_back(says.substr(from, end - from));
    from = end + 2;
  }
  return causes;
}

std::vector<WrongProgram> programs_of(const std::string& set) {
  const std::string path = std::string(TFX_SOURCE_DIR) + "/data/reference/grading/" + set;
  std::map<std::string, std::vector<NamedArray>> arrays;
  for (const char* part : {"-1.npz", "-2.npz", "-3.npz"})
    for (NamedArray& array : read_npz(read_file(path + part), path + part)) {
      const std::size_t at = array.name.find('/');
      arrays[array.name.substr(0, at)].push_back({array.name.substr(at + 1), std::move(array.array)});
    }
  std::istringstream lines(read_file(path + ".csv"));
  std::vector<WrongProgram> all;
  std::string line;
  std::getline(lines, line); // the names of the columns
  while (std::getline(lines, line)) {
    const std::vector<std::string> cells = cells_of(line);
    all.push_back({cells[0], cells[1], cells[2], causes_of(cells[3]), std::move(arrays[cells[0]])});
  }
  return all;
}

Said said_of(const WrongProgram& one) {
  static std::map<std::string, std::vector<Case>> series;
  const Exercise& exercise = *exercise_named(one.exercise);
  const auto [of, is_new] = series.try_emplace(one.exercise);
  if (is_new) of->second = series_of(exercise);
  const Grading grading = graded(exercise, of->second, one.returned);
  Said said = tfx::said_of(grading.diagnosis, grading.observations);
  said.equal = grading.pass();
  return said;
}

struct ProgramFigures {
  std::size_t wrong = 0, found = 0, named = 0, sure = 0, pinned = 0, accused_falsely = 0;
  std::vector<std::string> missed;
};

ProgramFigures figures_of_programs(const std::string& set) {
  ProgramFigures figures;
  for (const WrongProgram& one : programs_of(set)) {
    const Said said = said_of(one);
    const Judgement judged = judgement(said, one.says);
    const bool falsely = !said.sure.empty() && !judged.named;
    ++figures.wrong, figures.found += !said.equal, figures.named += judged.named;
    figures.sure += judged.sure, figures.pinned += !judged.named && judged.pinned;
    figures.accused_falsely += falsely;
    if (falsely || (!judged.named && !judged.pinned))
      figures.missed.push_back(one.name + " (" + one.cause + "): " + (falsely ? "FALSELY " : "") +
                               as_text(said));
  }
  return figures;
}

std::string row_of(const std::string& set, const ProgramFigures& f) {
  std::vector<std::string> cells{set};
  for (const std::size_t number : {f.wrong, f.found, f.named, f.sure, f.pinned, f.accused_falsely})
    cells.push_back(std::to_string(number));
  return "| " + join(cells, " | ") + " |";
}

} // namespace

TEST_CASE("grade says what is wrong in programs that it does not know, as often as the note says",
          "[exercise][grade]") {
  for (const char* set : {"first", "second", "third"}) {
    const ProgramFigures f = figures_of_programs(set);
    INFO(set << ": " << row_of(set, f) << "\n" << join(f.missed, "\n"));
    CHECK(f.found == f.wrong);
    CHECK(f.accused_falsely == 0);
    CHECK(100 * (f.named + f.pinned) >= 85 * f.wrong);
    for (const char* note : {"teaching.md", "teaching.zh.md"})
      CHECK(read_file(TFX_SOURCE_DIR "/docs/" + std::string(note)).find(row_of(set, f)) != std::string::npos);
  }
}
