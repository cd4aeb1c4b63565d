#pragma once
// "Your Transformer": the exercise of the whole model. The learner's own functions, assembled, have to give
// the log-probabilities of small drawn models and of a trained one, and to say with it what a number is
// called.

#include "exercise/exercise.hpp"
#include "input/lesson_input.hpp"

namespace tfx {

Exercise model_exercise();

/// The exercise of the lesson gpt: microgpt in the learner's hands, and other decoders of its kind.
Exercise gpt_exercise();
/// What repeats itself, by attention alone, and the head that is measured on it.
Exercise induction_exercise();

/// The most tokens that a model may write in it, without the start.
inline constexpr std::size_t longest_answer = 18;

/// To a run of a whole model: what it says by itself, "greedy", the ids behind the start up to the end; and
/// the words of its vocabulary at the log-probabilities, where it has some.
void add_answer(const LessonInput& input, Trace& run);

/// To a run of a decoder alone: what it writes behind what it has read, "greedy", until the mark that starts
/// a document comes again or its context is full.
void add_written(const LessonInput& input, Trace& run);

/// What the ids say in the words of the run's model; empty where it has none, or one of the ids is no word.
std::string spoken(const Trace& run, const Tensor& ids);

} // namespace tfx
