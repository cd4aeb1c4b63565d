#pragma once
// The command line's common options as data, and the input they give a lesson.

#include "input/lesson_input.hpp"
#include "options/option.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tfx {

enum class Init { randint, normal, xavier, xavier_uniform, he };

/// Where the vectors of a text's words come from.
enum class WordDraws {
  of_words, ///< each from its word and the seed: the same in every text
  in_order  ///< version 0.1's: one stream, in order of appearance
};

/// The seed that the tutorials draw with.
inline constexpr std::uint32_t tutorial_seed = 42;

struct InputOptions {
  std::optional<std::string> tutorial, text, source, words, x, q, k, v, mask, weights, memory,
      model; ///< files but for tutorial, text and source; model a shipped one's name too
  std::optional<std::size_t> d_model, heads, batch, n_q, n_k, d_k, d_v, d_ff, pad_id, layers, vocab, seq;
  std::optional<std::size_t> layer, head; ///< of the model, from 0
  std::size_t pad = 0;                    ///< tokens at the end that are padding
  std::optional<std::uint32_t> seed;
  std::uint32_t usual_seed = tutorial_seed;   ///< where --seed is not given, or chooses more than the input
  WordDraws word_draws = WordDraws::of_words; ///< no option: `check` knows answers to the old one
  std::optional<Init> init;
  std::optional<Norm> norm;
  std::optional<bool> norm_first;
  std::optional<Activation> activation;
  std::optional<double> epsilon; ///< of the norms
  std::optional<double> dropout; ///< in [0, 1)
  std::optional<DropoutAt> dropout_at;
  std::optional<std::string> logits;                            ///< a file
  std::optional<std::vector<std::vector<std::int64_t>>> labels; ///< a row for each sentence
  std::optional<double> smoothing;                              ///< in [0, 1)
  std::optional<Optimizer> optimizer;
  std::optional<std::size_t> kv_heads, window;
  std::optional<std::vector<std::string>> as_2017; ///< parts of a block
  std::optional<RotaryPairs> pairs;
  std::optional<double> rotary_base;
  std::optional<double> learning_rate, weight_decay;
  std::optional<double> temperature, top_p; ///< top_p in (0, 1]
  std::optional<std::size_t> top_k;
  std::optional<std::size_t> merges;
  std::optional<std::string> word;
  std::optional<std::string> from; ///< another text for the same model
  std::optional<std::size_t> place;
  std::optional<std::string> token, against;                 ///< of the model's own
  std::optional<std::vector<std::string>> left_out, patched; ///< parts of the model
  bool causal = false;
  bool qk_norm = false;                    ///< of a block
  std::optional<CausalAlign> causal_align; ///< implies causal
  bool draw_rest = false;                  ///< what a module of --weights lacks
  bool grad = false;                       ///< with the gradients of the mean of the output
  std::optional<FullyMaskedRow> masked_row;
};

/// All of them by their names, in the order of --help, and which lessons read them.
const std::vector<Option<InputOptions, InputRules>>& input_options();

/// Of the generator that the input is drawn with.
std::uint32_t seed_of(const InputOptions& options);

/// Whether these options leave the lesson's usual numbers, or those of the tutorial they name, as they are.
bool is_usual_run(const InputOptions& options, const InputRules& lesson);

/// The tutorial's data, the learner's own, or random ones, as the options say. Throws Error(usage) where
/// options contradict each other or the lesson, bad_data or no_input for files.
LessonInput resolve_input(const InputOptions& options, const InputRules& lesson);

} // namespace tfx
