#pragma once
// Questions about a run whose answers are computed from its trace: a cell, a row's sum, where a row is
// largest, an entry of a mask, a shape, a number of parameters, which part does most. Data only: the words
// are the caller's.

#include "course/answer.hpp"
#include "trace/trace.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tfx {

struct Question {
  enum class Kind { cell, row_sum, largest, mask, shape, count, effect };

  Kind kind = Kind::cell;
  std::string tensor; ///< of a count, empty for all parameters of the lesson together; of an effect, empty
  Index index;        ///< of the cell; of a row without the last axis; else empty
  Answer answer;
  std::vector<double> lost = {}; ///< of an effect: what each of the parts is worth, in the answer's order
};

/// "row_sum": the name in --json.
std::string_view name_of(Question::Kind kind);

/// `count` questions, the same for the same seed. None comes twice while there are others; none at all where
/// the run has nothing to ask. Cells take at most 16 terms, so that they can be computed by hand.
std::vector<Question> questions(const Trace& trace, std::uint64_t seed, std::size_t count, int precision);

/// Which part of a model does most: of its sublayers, and of the heads of each attention where one stands
/// out. `ablation`: a row a sublayer, what is lost without it, then without one head of it, NaN where there
/// is none.
std::vector<Question> effect_questions(const Experiment& ablation);

/// One question about each step that the lesson is about, in its order; steps without any are left out.
std::vector<Question> step_questions(const Trace& trace, std::uint64_t seed, int precision);

} // namespace tfx
