#pragma once
// Questions about a run whose answers are computed from its trace: a cell, a row's sum, where a row is
// largest, an entry of a mask, a shape, a number of parameters. Data only: the words are the caller's.

#include "course/answer.hpp"
#include "trace/trace.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tfx {

struct Question {
  enum class Kind { cell, row_sum, largest, mask, shape, count };

  Kind kind = Kind::cell;
  std::string tensor; ///< of a count, empty for all parameters of the lesson together
  Index index;        ///< of the cell; of a row without the last axis; else empty
  Answer answer;
};

/// "row_sum": the name in --json.
std::string_view name_of(Question::Kind kind);

/// `count` questions, the same for the same seed. None comes twice while there are others; none at all where
/// the run has nothing to ask. Cells take at most 16 terms, so that they can be computed by hand.
std::vector<Question> questions(const Trace& trace, std::uint64_t seed, std::size_t count, int precision);

/// One question about each step that the lesson is about, in its order; steps without any are left out.
std::vector<Question> step_questions(const Trace& trace, std::uint64_t seed, int precision);

} // namespace tfx
