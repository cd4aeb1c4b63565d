#pragma once
// What can be said of a learner's array that differs, without guessing: relations to the lesson's tensors
// that hold in every cell, and places that stand out. One table says what each kind of observation means; the
// judge and the screens read it.

#include "judge/comparison.hpp"
#include "trace/trace.hpp"

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tfx {

/// The words are "seen.ID" of tfx check; {name} is facts["name"].
struct Observation {
  std::string id;
  std::map<std::string, Fact> facts;
};

struct ObservationKind {
  std::string_view id;
  bool says_what_was_done = false; ///< then nothing else that was seen is said beside it
  bool says_all = false;           ///< no other formula need be looked for
  bool is_another_array = false;   ///< of the run, or a transposed one: no story of two mistakes
  bool is_solved = false;          ///< a number that was solved for: a known mistake says more
};

/// Every kind; the comment of each row says its facts.
std::span<const ObservationKind> observation_kinds();

/// Throws Error(internal) for an id that has no row.
const ObservationKind& kind_of(const Observation& one);

/// As the kind says it; a factor says all where it has a meaning.
bool says_all(const Observation& one);

/// In the order in which they help.
/// `right[tensor]` and `yours` differ within `tolerance`.
std::vector<Observation> observations(const Trace& right, const std::string& tensor, const Tensor& yours,
                                      const Tolerance& tolerance);

} // namespace tfx
