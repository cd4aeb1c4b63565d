#pragma once
// The block as steps of a trace, its parts that can be as they were in 2017, and what its pages show beside:
// what each part changes, attention in tiles, gradients through many blocks, and who has what.

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

/// Experiment "switches": parameters, multiply-adds of a token, numbers that a cache keeps of it, and how far
/// the output moves, with each part as it was in 2017.
void compare_switches(Trace& trace, const LessonInput& input);

/// Attention a few keys at a time equals the whole: check "tiles_equal".
void check_tiles(Trace& trace, const LessonInput& input);

/// Experiment "tiles": a query of a head, tile by tile; the one of the last queries in whose run a correction
/// shows best what it does.
void show_tiles(Trace& trace, const LessonInput& input);

/// Experiment "memory": numbers that a head holds at once, as a matrix of scores and in tiles, by length.
void compare_memory(Trace& trace);

/// Experiment "kept": bytes that a Llama keeps of a text, from a head of keys for each of queries down to
/// one.
void compare_kept(Trace& trace);

/// Experiment "published": which published model has which part.
void list_published(Trace& trace);

/// Experiment "gradients_by_depth": the gradient of the first block as a share of the last one's, in
/// models of 2 to 12 blocks, by norm and by where it stands. The engine computes them, with weights that are
/// drawn.
void measure_depth(Trace& trace);

} // namespace tfx
