#pragma once
// What the options of the command line do not say of an input: masks with blocked rows, scores of 1000,
// biases that are not 0, a token whose numbers are all alike. In the inputs of series that is where mistakes
// come to light.

#include "input/lesson_input.hpp"

namespace tfx {

/// A mask of the learner's own, in which nothing is symmetric; the second query may see nothing.
void block_a_row(LessonInput& input);
/// One mask a sentence, (batch, 1, n, n): every one lets another token be seen.
void mask_each_sentence(LessonInput& input);
/// Queries, or what they are made of, so large that the scores are near 1000.
void enlarge_queries(LessonInput& input);
void enlarge_logits(LessonInput& input);
/// Other logits than the model's.
void vary_logits(LessonInput& input);
/// W_O so small that the gradients are beside Adam's ε.
void shrink_gradients(LessonInput& input);
/// The optimizer's third step: its averages have begun.
void start_later(LessonInput& input);
/// The tokens of one sentence as a batch of two.
void make_two_sentences(LessonInput& input);
/// A mask through which everything may be seen.
void add_open_mask(LessonInput& input);
/// b_Q, b_K, b_V.
void add_biases(LessonInput& input);
/// Gains other than 1, shifts and biases other than 0, as training leaves them.
void vary_parameters(LessonInput& input);
/// The same, and the first token has one number throughout: nothing varies in it.
void level_a_token(LessonInput& input);

} // namespace tfx
