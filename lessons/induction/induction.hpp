#pragma once
// What the lesson induction runs on: a decoder of attention alone, and a text that repeats itself.

#include "input/lesson_input.hpp"
#include "input/options.hpp"
#include "io/array_file.hpp"
#include "model/transformer.hpp"
#include "trace/trace.hpp"

#include <string>
#include <vector>

namespace tfx {

/// tgt: a symbol for each word of the text, in the order in which they first come; labels: what came next, −1
/// behind the last; every parameter by the state_dict's names, of --model or of the shipped model. Throws
/// Error(usage) for a text of one word, of more words than the model has symbols or places for, and for a
/// model of another kind or too large to try each head; Error(no_memory), and what model_file throws.
LessonInput repeated_text(const InputOptions& options, const InputRules& lesson);

inline constexpr const char* of_the_lesson = "shipped"; ///< the fact that an input has the shipped model

/// "induction", "fixed-period", …: a model of data/circuits.
TensorFile grown_file(const std::string& name);
Transformer<double> grown_model(const std::string& name);

/// The model whose parameters such an input has.
Transformer<double> model_of(const LessonInput& input);

/// Experiment "heads" at that period, and facts of the head with the highest induction score ("best_head",
/// "best_score") where the model fails without it, and of the one that looks most at the place before.
void measure_heads(Trace& trace, const Transformer<double>& model, std::size_t period);

/// A sequence of that period, drawn by the seed, as long as a training of such a model reads.
std::vector<double> repeated_sequence(const ModelSpec& spec, std::size_t period, std::uint64_t seed);

/// Experiment "growth", from what metadata_of (train/induction.hpp) keeps, as far as it is that; none where
/// there is nothing. Facts "grew_from", "grew_to" and "grew_at" where the repetition was learned, and nothing
/// else.
void show_growth(Trace& trace, const std::string& watched);

/// Experiment "periods": the shipped models at every period, and beside them the learner's own, if any.
void compare_periods(Trace& trace, const Transformer<double>* own);

/// Experiment "own_periods": a model alone at every period, and at the one of its training.
void test_periods(Trace& trace, const Transformer<double>& model, std::size_t trained);

/// Steps "copies" and "matches" of the last layer's first head: what reading a token adds to each logit,
/// W_E·W_V·W_O·W_U; how well each token as a query fits each as a key that the head before has moved a place
/// on, W_E·W_Q·(W_E·W_V·W_O·W_K)ᵀ.
void add_circuits(Trace& trace, const ModelSpec& spec, const std::vector<std::string>& symbols);

} // namespace tfx
