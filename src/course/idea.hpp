#pragma once
// Questions that ask for thought, with computed answers: which mistake made this result, what becomes of the
// run where a tensor is doubled, which mistake this very input cannot show. The answers come from the run
// computed again, wrong or doubled, by its recorded operations.

#include "course/question.hpp"
#include "lessons/catalogue.hpp"

namespace tfx {

/// At most `count` of them about a run of the lesson, the same for the same seed, none twice; each has three
/// or four parts to choose from, whose numbers differ in the decimals shown. None where the run is too large
/// to be computed a few dozen times at once.
std::vector<Question> idea_questions(const Lesson& lesson, const Trace& run, std::uint64_t seed,
                                     std::size_t count, int precision);

/// A step on the way from a doubled tensor, and how many times as large it becomes; NaN: by no one number.
struct Reached {
  std::string tensor;
  double factor = 1;

  bool stays() const;
};

/// The steps by which `part` comes of `doubled`, itself the last; none where it does not.
std::vector<Reached> steps_reached(const Trace& run, const std::string& doubled, const std::string& part);

} // namespace tfx
