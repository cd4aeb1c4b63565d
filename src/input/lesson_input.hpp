#pragma once
// What a lesson runs on and what it asks of it, and how given tensors become steps of its trace.

#include "page/decoding.hpp"
#include "page/optimizers.hpp"
#include "trace/trace.hpp"

#include <string>
#include <vector>

namespace tfx {

enum class FullyMaskedRow { zero, nan, error }; ///< the weights of a row that may see nothing

/// Which corner a causal triangle stands at where there are not as many queries as keys.
enum class CausalAlign {
  upper_left, ///< query i sees keys 0 … i: PyTorch's is_causal
  lower_right ///< the queries are the last tokens: the last one sees all, as with a cache
};

enum class Optimizer { sgd, adam, adamw };
inline constexpr double usual_decay = 0.01; ///< of torch.optim.AdamW

/// What a lesson runs on: given tensors by the contract's names, and how to attend.
struct LessonInput {
  Trace given;                    ///< X, W_Q … or Q, K, V: lessons take what they need with `give`
  std::vector<std::string> notes; ///< what the learner should know about the input (for stderr)
  bool named_words = false;       ///< rows have names of their own; otherwise they are q1, k1, v1 …
  std::string reference;          ///< the run NumPy's reference was made of, where this is exactly that run
  std::size_t heads = 1;
  bool causal = false;
  std::size_t pad = 0;
  FullyMaskedRow masked_row = FullyMaskedRow::zero;
  CausalAlign causal_align = CausalAlign::upper_left;
  page::NormRule norm = page::NormRule::annotated;
  bool norm_first = true;
  page::Activation activation = page::Activation::relu; ///< of a layer's feed-forward network
  double smoothing = 0;                                 ///< of the labels
  Optimizer optimizer = Optimizer::adam;
  page::AdamStep optimizer_step; ///< decay is AdamW's, learning_rate every optimizer's
  page::Sampling sampling;
  std::size_t merges = 5;  ///< to learn, at most
  std::string text, word;  ///< that merges are learned from, and that they cut; empty where numbers are given
  bool positioned = false; ///< X knows already where its tokens stand
  double dropout = 0;      ///< of the attention weights; "keep" is given where it is not 0
  RunFor purpose = RunFor::values; ///< run_lesson sets it

  bool has(const std::string& name) const { return given.has(name); }
  bool masks() const { return causal || pad > 0 || has("mask_given"); }
};

/// What a lesson starts from.
enum class Stage {
  nothing,     ///< it runs on the engine alone
  vectors,     ///< X
  projections, ///< X and W_Q, W_K, W_V
  attention,   ///< Q, K, V: given, or projected from X
  heads,       ///< X, the three projections, W_O and a number of heads
  memory,      ///< X, memory, and the three projections
  tokens,      ///< token_ids and token_embedding
  layer,       ///< X and every parameter of an encoder layer
  model,       ///< src, tgt and every parameter of an encoder-decoder, drawn
  loss,        ///< labels, and logits or what they are made of: X, the three projections, W_O to a vocabulary
  training,    ///< labels, and X, the three projections and W_O to a vocabulary, which are learned
  decoding,    ///< X and W_Q, W_K, W_V, read token by token
  choice,  ///< the logits of a step, a place to draw at; log-probabilities and lengths of a beam's targets
  sizes,   ///< the widths of an encoder-decoder, as numbers
  subwords ///< the symbols of a text's pieces, how often it has each, and of a word to be cut
};

/// How masks act in a lesson: each as those before it, and more.
enum class MaskRule {
  none,     ///< not at all
  asked,    ///< where the options give one
  tutorial, ///< and where the tutorial has a causal one
  causal    ///< and causal where they give none
};

/// Matrices of n_q × n_k numbers, as scores are, that a lesson's run holds at once, but for masks and what is
/// masked: tests/extended/memory.sh compares them with what runs take.
struct Squares {
  std::size_t kept = 0;    ///< of every batch and head
  std::size_t passing = 0; ///< of one, while it is computed or checked
};

struct InputOptions;
struct InputRules;
/// The input from a trained model, --model.
using FromModel = LessonInput (*)(const InputOptions&, const InputRules&);

/// What a lesson asks of its input: all that resolve_input knows of the lesson.
struct InputRules {
  std::string command; ///< "scores"
  Stage stage = Stage::nothing;
  std::string tutorial = {}; ///< default data: "fun-transformer:1"
  Squares squares = {};
  MaskRule mask_rule = MaskRule::none;
  FromModel from_model = nullptr; ///< where it can run on one

  /// Whether it asks for the next token.
  bool has_labels() const { return stage == Stage::loss || stage == Stage::training; }
  bool masks() const { return mask_rule >= MaskRule::asked; }
  /// No word of a source is later than one of the target.
  bool may_be_causal() const { return masks() && stage != Stage::memory; }
  bool takes_tutorial_mask() const { return mask_rule >= MaskRule::tutorial; }
  bool causal_by_default() const { return mask_rule == MaskRule::causal; }
};

/// The tensor of that name, and what it was made from, become steps of `trace` (once).
void give(Trace& trace, const LessonInput& input, const std::string& name);

/// name = table[ids]: rows of an embedding table (or of the distinct words' vectors) by their numbers.
void give_rows(Trace& trace, const std::string& name, const std::string& table, const std::string& ids);

} // namespace tfx
