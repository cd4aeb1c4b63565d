#pragma once
// The block as steps of a trace, and its parts that can be as they were in 2017.

#include "input/lesson_input.hpp"
#include "page/layer_formulas.hpp"

#include <span>

namespace tfx {

/// One difference between the block of 2017 and today's. Its words: "column.NAME".
struct BlockSwitch {
  const char* name; ///< "gate", as --as-2017 takes it
  /// The same input with that part as it was in 2017; what the part reads is added, what it does not is left.
  void (*as_in_2017)(LessonInput& input);
};

std::span<const BlockSwitch> block_switches();

/// The same input whose heads norm their queries and keys before they turn, with gains of 1 where it has
/// none.
LessonInput with_qk_norm(const LessonInput& input);

/// X → output. Steps of attention stand behind "attn.", of the feed-forward behind "mlp.".
void add_block(Trace& trace, const LessonInput& input);

/// The page's block of a run that is as Llama's in all its parts; nothing of any other.
std::optional<page::TodaysBlock> todays_block_of(const Trace& trace, const LessonInput& input);

} // namespace tfx
