#pragma once
// The stages of attention as steps of a trace: projections, scores, mask, weights, output, and heads that are
// split, put side by side and projected. Each lesson adds its own stages as results and the earlier ones as
// recap.

#include "input/lesson_input.hpp"

#include <functional>

namespace tfx {

/// A trace that knows its lesson, its data and the tensor it is about.
Trace begin_trace(const std::string& lesson, const LessonInput& input, const std::string& main);

/// Q, K or V: given, or X·W (+ b).
void add_projection(Trace& trace, const LessonInput& input, const std::string& name, Role role);

/// Q, K or V = X·W + b of the tensor called `X`, which is given or already a step.
void add_projection_of(Trace& trace, const LessonInput& input, const std::string& name, const std::string& X,
                       Role role);

// The steps' own names stand behind `place`, "" in a lesson and "encoder.layers.0.self_attn." in a whole
// model.

/// scores = queries·keysᵀ.
void add_scores(Trace& trace, const std::string& queries, const std::string& keys, Role role,
                const std::string& place = {});

/// Throws Error(bad_data) naming the first cell that is NaN or +∞, and what follows from that.
void refuse_not_finite(const Step& step, const Message& consequence);
/// The same of what a softmax is taken of.
void refuse_not_finite(const Trace& trace, const std::string& name);

/// scaled = scores/√d_k.
void add_scaled(Trace& trace, const std::string& keys, Role role, const std::string& place = {});

/// masked = where(mask, scaled, −∞).
void add_mask_fill(Trace& trace, const std::string& mask, Role role, const std::string& place = {});

/// mask and masked, where the input asks for a mask; the name of what the softmax is taken of: "masked" or
/// "scaled". Throws Error(bad_data) for NaN or +∞ among the visible scores, and for a row without any under
/// FullyMaskedRow::error.
std::string add_masked(Trace& trace, const LessonInput& input, Role role);

/// weights = softmax(`of`), a step; rows without anything to see are filled with `masked_row`.
void add_weights(Trace& trace, const std::string& of, Role role, double masked_row = 0,
                 const std::string& place = {});

/// name = weights·values.
void add_output(Trace& trace, const std::string& name, const std::string& weights, const std::string& values,
                Role role);

/// The number that rows without anything to see are filled with.
double masked_row_value(FullyMaskedRow policy);

/// Rows of the first matrix of weights (of the first batch and head) that may see something.
arma::uvec open_rows(const Trace& trace);

/// How a projection becomes heads: of queries, of keys or of values.
struct HeadsStep {
  std::string projected, name; ///< what is cut, and what comes out
  std::size_t count = 1;
  /// Adds the norm of x as `output`; empty: the heads are not normed.
  std::function<void(const std::string& x, const std::string& output)> norm = {};
  std::string angles = {}; ///< how each turns by its place; empty: they do not
  RotaryPairs pairs = RotaryPairs::neighbours;
};
/// On the way NAME_split and NAME_normed, as far as something follows them.
void add_heads(Trace& trace, const HeadsStep& heads);

/// FEW_shared: each head of keys or values as often as a group of queries reads it; FEW itself in groups
/// of 1.
std::string add_shared_heads(Trace& trace, const std::string& few, std::size_t group);

/// A mask for scores: no later key is seen, and with a window no more than so many, the query's own among
/// them.
void add_causal_mask(Trace& trace, const std::string& name, const std::string& scores, std::size_t window);

/// Q → Q_heads.
void add_split(Trace& trace, const std::string& name, std::size_t h, Role role = Role::result);
/// heads → concat.
void add_merge(Trace& trace, Role role = Role::result);

/// output, or `name`, = concat·W_O (+ b_O).
void add_output_projection(Trace& trace, const LessonInput& input, const std::string& name = "output",
                           Role role = Role::result);

} // namespace tfx
