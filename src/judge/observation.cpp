#include "judge/observation.hpp"

#include "core/error.hpp"

#include <algorithm>

namespace tfx {

std::span<const ObservationKind> observation_kinds() {
  static constexpr ObservationKind kinds[] = {
      // NaN in the rows that may see nothing, and else equal
      {.id = "blocked_rows", .says_what_was_done = true, .says_all = true, .is_another_array = true},
      // NaN or an infinity where the lesson has a number, and no more: count, cell, kind, how
      {.id = "not_finite", .says_what_was_done = true},
      // another tensor of the run: name
      {.id = "is_tensor", .says_what_was_done = true, .says_all = true, .is_another_array = true},
      // the lesson's tensor transposed, or with its axes in another order
      {.id = "transposed", .says_what_was_done = true, .says_all = true, .is_another_array = true},
      {.id = "axes", .says_what_was_done = true, .says_all = true, .is_another_array = true},
      // another tensor of the run transposed: name
      {.id = "transposed_tensor", .says_what_was_done = true, .says_all = true, .is_another_array = true},
      // another shape: yours, lessons; the one of other tensors of the run: names
      {.id = "shape"},
      {.id = "shape_of"},
      // a tensor that the lesson does not compute is of another input: name
      {.id = "input", .says_what_was_done = true, .says_all = true},
      // equal within 1e-5, as in float32: largest; nearly equal
      {.id = "single", .says_what_was_done = true, .says_all = true},
      {.id = "close", .says_what_was_done = true},
      // equal after rounding: decimals
      {.id = "rounded", .says_what_was_done = true, .says_all = true},
      // the lesson's times, or plus, one number: value, meaning
      {.id = "factor", .says_all = true},
      {.id = "offset"},
      // the lesson's rows in another order: order
      {.id = "rows_reordered", .says_all = true},
      // the columns sum to 1, the rows do not; rows that should sum to 1 do not: row, sum
      {.id = "columns_sum"},
      {.id = "rows_sum"},
      // nothing else differs: places
      {.id = "only_rows"},
      {.id = "only_columns"},
      {.id = "only_slices"},
      // another formula gives it: steps, formula, lessons
      {.id = "instead", .says_what_was_done = true, .says_all = true},
      // another run gives it: PyTorch's smoothing, the words' vectors as version 0.1 drew them, an option
      {.id = "torch_smoothing", .says_what_was_done = true, .says_all = true},
      {.id = "old_draw", .says_what_was_done = true, .says_all = true},
      {.id = "option", .says_what_was_done = true, .says_all = true},
      // another form of the lesson's numbers
      {.id = "heads_mean", .says_what_was_done = true, .says_all = true, .is_form = true},
      {.id = "reduced", .says_what_was_done = true, .says_all = true, .is_form = true},
      {.id = "unreduced", .says_what_was_done = true, .says_all = true, .is_form = true},
      {.id = "reshaped", .says_what_was_done = true, .says_all = true, .is_form = true},
      {.id = "stretched", .says_what_was_done = true, .says_all = true, .is_form = true},
      {.id = "part", .says_what_was_done = true, .says_all = true, .is_form = true},
      {.id = "row_numbers", .says_what_was_done = true, .says_all = true, .is_form = true},
      {.id = "mask_inverted", .says_what_was_done = true, .says_all = true, .is_form = true},
      {.id = "mask_added", .says_what_was_done = true, .says_all = true, .is_form = true},
      {.id = "filled", .says_what_was_done = true, .says_all = true, .is_form = true},
      // each row moved by a number of its own, or multiplied; cells that are 0 where the lesson's are not
      {.id = "rows_moved"},
      {.id = "rows_scaled"},
      {.id = "zeroed", .says_what_was_done = true, .says_all = true},
      // rows, or all of it, that share out 1 otherwise; what a mask hides or shows
      {.id = "shares"},
      {.id = "blocked_seen"},
      {.id = "open_unseen"},
      // a number that was solved for
      {.id = "divisor", .says_what_was_done = true, .is_solved = true},
      {.id = "added_number", .says_what_was_done = true, .is_solved = true},
      {.id = "filled_number", .says_what_was_done = true, .is_solved = true},
      {.id = "combination", .says_what_was_done = true, .is_solved = true},
      {.id = "near", .is_solved = true},
      // nothing but 0
      {.id = "zeros"}};
  return kinds;
}

const ObservationKind& kind_of(const Observation& one) {
  const auto found = std::ranges::find(observation_kinds(), one.id, &ObservationKind::id);
  if (found == observation_kinds().end()) throw defect("there is no kind of observation " + one.id);
  return *found;
}

bool says_all(const Observation& one) {
  if (one.id == "factor") return !std::get<std::string>(one.facts.at("meaning")).empty();
  return kind_of(one).says_all;
}

} // namespace tfx
