#pragma once
// What learners hand in, wrong or right in another form, with the true cause of each:
// data/reference/diagnosis.

#include "judge/check_report.hpp"

#include <string>
#include <vector>

namespace tfx {

struct HandIn {
  std::string name;              ///< "wrong/softmax/columns"
  std::string lesson, typed;     ///< its lesson's, and the options
  bool wrong = true;             ///< false: right, in another form
  std::string cause;             ///< in words
  std::vector<std::string> says; ///< what may be said of it: ids of mistakes; "seen.ID", "seen.ID=WORDS"
  std::vector<HandedIn> arrays;
};

/// Of "first" or "second".
std::vector<HandIn> hand_ins(const std::string& set);

/// What `tfx check` makes of one: "softmax.no_scale" where it is sure, "perhaps softmax.no_scale",
/// "seen.factor=√3"; "convention.ID=…" where it is accepted so; "equal" where all is equal.
struct Said {
  bool equal = false;
  std::vector<std::string> sure, perhaps, seen;
};
Said said_of(const HandIn& one);
Said said_of(const Diagnosis& diagnosis, const std::vector<Observation>& observations);
std::string as_text(const Said& said);

/// What was said beside what may be said: a mistake that is the true one, sure or perhaps; what is seen of
/// it.
struct Judgement {
  bool named = false, sure = false, pinned = false;
};
Judgement judgement(const Said& said, const std::vector<std::string>& true_ones);

/// The cells of a line of a .csv; in quotes a comma is no end.
std::vector<std::string> cells_of(const std::string& line);

/// The figures of docs/teaching.md.
struct Figures {
  std::size_t wrong = 0, found = 0, named = 0, pinned = 0, accused_falsely = 0;
  std::size_t sure = 0; ///< of the named, those that are said without a perhaps
  std::size_t different = 0, accepted = 0, told = 0;
  std::vector<std::string> missed; ///< what is neither, with what was said instead
};
Figures figures_of(const std::string& set);

} // namespace tfx
