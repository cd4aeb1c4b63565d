#pragma once
// An array that is no other computation: the lesson's numbers in another form (a convention of another
// library, a sum that was taken or not taken, a shape), or NaN and infinities where the lesson has numbers,
// beside which no other comparison means anything.

#include "judge/observations.hpp"

#include <optional>

namespace tfx {

/// "not_finite" with what they are (kind: NaN, ∞, −∞, or several), how many cells (count), the first one
/// (cell), and what most likely makes them (how): an empty_row of a softmax, an overflow in one, the log of
/// 0, the root of a negative number, other. Nothing where every cell is a number, or the lesson's is none
/// either. Of another shape, where the lesson's tensor has numbers alone.
std::optional<Observation> not_finite(const Trace& right, const Step& step, const Tensor& yours);

/// The form in which `yours` is the step's value, if it is one of these; every one is exact:
///   heads_mean      the mean over the heads, as nn.MultiheadAttention returns its weights
///   reduced         summed or averaged over an axis: {how} sum or mean, {axis}
///   unreduced       cells whose sum or mean is the lesson's number: {how} sum, mean or counted
///   reshaped        the same numbers in another shape: {shape}
///   stretched       equal where NumPy repeats it: {shape}
///   part            the first rows and columns: {part}
///   row_numbers     the number of each row's largest cell
///   mask_inverted   1 where the lesson has 0: True = blocked
///   mask_added      0 where one may look, a large negative number elsewhere: it is added
///   filled          a large negative number in place of −∞: {value}
std::optional<Observation> other_form(const Step& step, const Tensor& yours, const Tolerance& tolerance);

/// Of `yours` in the step's shape:
///   rows_moved      each row plus a number of its own; {how}: softmax, which does not mind, or plain
///   rows_scaled     each row times a number of its own
///   columns_moved, columns_scaled   the same of each column, in all matrices alike
///   zeroed          0 in all cells of a kind, and else equal: {where} above, below, diagonal, negative
std::optional<Observation> other_cells(const Trace& right, const Step& step, const Tensor& yours,
                                       const Tolerance& tolerance);

/// Whether a softmax is taken of the step, scaled and masked or not.
bool is_before_softmax(const Trace& right, const Step& step);

/// Of weights that a mask was laid on: cells with weight where it blocks, without where it is open.
///   blocked_seen    {count} {cell}
///   open_unseen     {count} {cell}
std::vector<Observation> against_mask(const Trace& right, const Step& step, const Tensor& yours);

} // namespace tfx
