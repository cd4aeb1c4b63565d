#pragma once
// What the lessons on heads, on the whole model and on its parameters run on: dropout, the sizes of an
// encoder-decoder as numbers, and two padded sentences with a drawn model small enough to print.

#include "input/options.hpp"
#include "input/parameters.hpp"

namespace tfx {

/// keep = np.random.rand(heads, n_q, n_k) >= p, a batch in front where X has one, where --dropout is more
/// than 0; of sublayers keep_1 and keep_2 as X, of hidden numbers and of embedded tokens keep as they are. It
/// has a stream of its own with the same seed: the layer's numbers do not depend on it. Throws Error(usage)
/// for a place without a share.
void draw_dropout(const InputOptions& options, LessonInput& input);

/// d_model, d_ff, h, N, vocab and n: the learner's, else make_model's of The Annotated Transformer, with a
/// vocabulary of 11 tokens, those of its copy task, and 128 tokens to read. Throws Error(usage) for heads
/// that do not divide the width.
LessonInput given_sizes(const InputOptions& options, const InputRules& lesson);

/// src, tgt (token ids, 0 is padding) and every parameter by the names and in the shapes of The Annotated
/// Transformer's state_dict, drawn tensor by tensor as `tfx model --preset toy` draws them: matrices
/// xavier-uniform, biases as torch.nn.Linear has them, norms 1 and 0. Throws Error(usage) for heads that do
/// not divide the width.
LessonInput drawn_model(const InputOptions& options, const InputRules& lesson);

} // namespace tfx
