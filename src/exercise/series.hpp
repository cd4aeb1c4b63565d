#pragma once
// The inputs of an exercise as a program gets them, and the lesson's run on each. An input is what options
// say, changed in what they do not say: masks with blocked rows, scores of 1000, biases that are not 0, a
// token whose numbers are all alike; that is where mistakes come to light.

#include "exercise/exercise.hpp"
#include "input/lesson_input.hpp"
#include "trace/trace.hpp"

#include <cstdint>
#include <map>
#include <optional>

namespace tfx {

void start_at_step(LessonInput& input, int t, double phase);

/// A mask of the learner's own, in which nothing is symmetric; the second query may see nothing.
void block_a_row(LessonInput& input, double phase);
/// A mask in which nothing is symmetric and every query sees itself.
void block_some(LessonInput& input, double phase);
/// Queries, or what they are made of, so large that scores are in the thousands, whatever the seed.
void enlarge_queries(LessonInput& input, double phase);
void enlarge_logits(LessonInput& input, double phase);
/// Other logits than the model's.
void vary_logits(LessonInput& input, double phase);
/// A place to draw at between where the last token that is left begins and where it would begin if what is
/// left were not divided by its sum.
void draw_between_places(LessonInput& input, double phase);
/// The largest logit three times, and what top_k takes last twice.
void tie_logits(LessonInput& input, double phase);
/// All logits alike, so that with top_k = 4 and top_p = 0.5 each sum is exact, and u falls where one token
/// ends.
void level_logits(LessonInput& input, double phase);
/// A key that is there twice, and a query that it fits best.
void repeat_a_key(LessonInput& input, double phase);
/// W_O so small that the gradients are beside Adam's ε.
void shrink_gradients(LessonInput& input, double phase);
/// The optimizer's step `t`: its averages have begun.
template <int t>
void start_at(LessonInput& input, double phase) {
  start_at_step(input, t, phase);
}
/// Other words to be cut beside the one.
void add_words(LessonInput& input, double phase);
/// The tokens of one sentence as a batch of two.
void make_two_sentences(LessonInput& input, double phase);
/// Places that do not begin at 0, as where earlier tokens are kept in a cache.
void start_later(LessonInput& input, double phase);
/// b_Q, b_K, b_V.
void add_biases(LessonInput& input, double phase);
/// Gains other than 1, shifts and biases other than 0, as training leaves them.
void vary_parameters(LessonInput& input, double phase);
/// The same, and more.
template <Change also>
void vary_parameters_and(LessonInput& input, double phase) {
  vary_parameters(input, phase);
  also(input, phase);
}
/// The same, and the first token has one number throughout: nothing varies in it.
void level_a_token(LessonInput& input, double phase);

struct Case {
  const CaseRule* rule = nullptr;
  /// The lesson's run up to the last tensor that is asked for. What the learner is given is given, however
  /// the lesson came by it, and right: mistakes are made behind it only.
  Trace run;
  std::map<std::string, double> numbers; ///< given, and no tensors of the run: "d_k"
  std::optional<std::uint32_t> seed{};   ///< of the series

  double number(const Slot& slot) const;
};

/// With a seed its numbers are drawn by it, a case's by themselves; sizes, ties, masks, texts and the numbers
/// of trained models stay. Of a teacher's own exercise all stays. Throws what resolving the input throws: a
/// series is tested, so never.
std::vector<Case> series_of(const Exercise& exercise, std::optional<std::uint32_t> seed = {});

/// Whether the page of its lesson, without any option, has the right numbers of one of its cases.
bool is_on_page(const Exercise& exercise);

/// An npz of every case's inputs, under "case/name".
std::string inputs_file(const Exercise& exercise, const std::vector<Case>& series);

} // namespace tfx
