#pragma once
// The inputs of an exercise as a program gets them, and the lesson's run on each. An input is what options
// say, changed in what they do not say: masks with blocked rows, scores of 1000, biases that are not 0, a
// token whose numbers are all alike; that is where mistakes come to light.

#include "exercise/exercise.hpp"
#include "input/lesson_input.hpp"
#include "trace/trace.hpp"

#include <map>

namespace tfx {

void start_at_step(LessonInput& input, int t);

/// A mask of the learner's own, in which nothing is symmetric; the second query may see nothing.
void block_a_row(LessonInput& input);
/// A mask in which nothing is symmetric and every query sees itself.
void block_some(LessonInput& input);
/// Queries, or what they are made of, so large that the scores are near 1000.
void enlarge_queries(LessonInput& input);
void enlarge_logits(LessonInput& input);
/// Other logits than the model's.
void vary_logits(LessonInput& input);
/// The largest logit three times, and what top_k takes last twice.
void tie_logits(LessonInput& input);
/// All logits alike, so that with top_k = 4 and top_p = 0.5 each sum is exact, and u falls where one token
/// ends.
void level_logits(LessonInput& input);
/// A key that is there twice, and a query that it fits best.
void repeat_a_key(LessonInput& input);
/// W_O so small that the gradients are beside Adam's ε.
void shrink_gradients(LessonInput& input);
/// The optimizer's step `t`: its averages have begun.
template <int t>
void start_at(LessonInput& input) {
  start_at_step(input, t);
}
/// Other words to be cut beside the one.
void add_words(LessonInput& input);
/// The tokens of one sentence as a batch of two.
void make_two_sentences(LessonInput& input);
/// Places that do not begin at 0, as where earlier tokens are kept in a cache.
void start_later(LessonInput& input);
/// A mask through which everything may be seen.
void add_open_mask(LessonInput& input);
/// b_Q, b_K, b_V.
void add_biases(LessonInput& input);
/// Gains other than 1, shifts and biases other than 0, as training leaves them.
void vary_parameters(LessonInput& input);
/// The same, and more.
template <void (*also)(LessonInput&)>
void vary_parameters_and(LessonInput& input) {
  vary_parameters(input);
  also(input);
}
/// The same, and the first token has one number throughout: nothing varies in it.
void level_a_token(LessonInput& input);

struct Case {
  const CaseRule* rule = nullptr;
  /// The lesson's run up to the last tensor that is asked for. What the learner is given is given, however
  /// the lesson came by it, and right: mistakes are made behind it only.
  Trace run;
  std::map<std::string, double> numbers; ///< given, and no tensors of the run: "d_k"

  double number(const Slot& slot) const;
};

/// Throws what resolving the input throws: a series is tested, so never.
std::vector<Case> series_of(const Exercise& exercise);

/// An npz of every case's inputs, under "case/name".
std::string inputs_file(const Exercise& exercise, const std::vector<Case>& series);

} // namespace tfx
