#pragma once
// Questions about a run whose answers are computed from its trace: a cell, a row's sum, where a row is
// largest, an entry of a mask, a shape, a number of parameters, which part does most; those that ask for
// thought are in course/idea.hpp. Data only: the words are the caller's.

#include "course/answer.hpp"
#include "trace/trace.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tfx {

struct Question {
  enum class Kind {
    cell,
    row_sum,
    largest,
    mask,
    shape,
    count,
    sign,    ///< whether a gradient is above 0
    zeros,   ///< how many of a gradient's row are 0
    effect,  ///< which part of a model does most
    mistake, ///< which mistake made this wrong result
    doubled, ///< which tensor is twice as large where another one is
    unmoved, ///< which tensor stays as it is where another one is doubled
    unseen   ///< which mistake the input cannot show
  };

  Kind kind = Kind::cell;
  std::string
      tensor;  ///< of a count, empty for all parameters of the lesson together; of parts, perhaps empty
  Index index; ///< of the cell; of a row without the last axis; of a mistake, a cell that tells; else empty
  Answer answer;
  /// Of parts to choose from, in the answer's order: what each of an effect's is worth, the telling cell by
  /// each mistake, how many times as large each tensor is (NaN: not one number), how many cells a mistake
  /// changes.
  std::vector<double> measured = {};

  bool has_parts() const { return kind >= Kind::effect; }
  bool is_about_mistakes() const { return kind == Kind::mistake || kind == Kind::unseen; }
};

/// "row_sum": the name in --json.
std::string_view name_of(Question::Kind kind);

/// `count` questions, the same for the same seed. None comes twice while there are others; none at all where
/// the run has nothing to ask. What an earlier lesson teaches is not asked, nor what stands on the screen
/// already, and a cell has few terms, so that a hand computes it.
std::vector<Question> questions(const Trace& trace, std::uint64_t seed, std::size_t count, int precision);

/// Which part of a model does most: of its sublayers, and of the heads of each attention where one stands
/// out. `ablation`: a row a sublayer, what is lost without it, then without one head of it, NaN where there
/// is none.
std::vector<Question> effect_questions(const Experiment& ablation);

/// One question about each step that is new in the lesson, in its order, and a few about the way back; steps
/// without any are left out.
std::vector<Question> step_questions(const Trace& trace, std::uint64_t seed, int precision);

} // namespace tfx
