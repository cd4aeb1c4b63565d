#pragma once
// What a lesson runs on and what it asks of it, and how given tensors become steps of its trace.

#include "page/decoding.hpp"
#include "page/optimizers.hpp"
#include "trace/trace.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace tfx {

struct ModelSpec;

enum class FullyMaskedRow { zero, nan, error }; ///< the weights of a row that may see nothing

/// Which corner a causal triangle stands at where there are not as many queries as keys.
enum class CausalAlign {
  upper_left, ///< query i sees keys 0 … i: PyTorch's is_causal
  lower_right ///< the queries are the last tokens: the last one sees all, as with a cache
};

enum class Optimizer { sgd, adam, adamw };
inline constexpr double usual_decay = 0.01; ///< of torch.optim.AdamW

/// What dropout acts on: the attention weights, what a sublayer adds to X, or the feed-forward network's
/// hidden numbers.
enum class DropoutAt { weights, sublayers, hidden };

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
  Norm norm = Norm::annotated;
  bool norm_first = true;
  Activation activation = Activation::relu; ///< of a layer's feed-forward network
  double smoothing = 0;                     ///< of the labels
  Optimizer optimizer = Optimizer::adam;
  RotaryPairs pairs = RotaryPairs::neighbours; ///< that turn together
  double rotary_base = usual_rotary_base;
  bool turns = true;        ///< of a block since 2017: by its places; else they are added to X
  std::size_t kv_heads = 1; ///< heads of keys and values, each read by a group of those of queries
  bool qk_norm = false;   ///< of a block since 2017: each head's queries and keys are normed before they turn
  std::size_t window = 0; ///< tokens that a query sees, itself among them; 0: all before it
  std::vector<std::string> as_2017 = {}; ///< parts of a block that are as they were then
  std::optional<double> epsilon = {};    ///< of a norm; none: its usual one
  page::AdamStep optimizer_step;         ///< decay is AdamW's, learning_rate every optimizer's
  page::Sampling sampling;
  std::size_t merges = 5;  ///< to learn, at most
  std::string text, word;  ///< that merges are learned from, and that they cut; empty where numbers are given
  bool positioned = false; ///< X knows already where its tokens stand
  double dropout = 0;      ///< where it is not 0, "keep" is given, of sublayers "keep_1" and "keep_2"
  DropoutAt dropout_at = DropoutAt::weights;     ///< of a layer; of embedded tokens it is the sum
  RunFor purpose = RunFor::values;               ///< run_lesson sets it
  std::shared_ptr<const ModelSpec> decoder = {}; ///< what a model is made of, where its parameters are given
  std::shared_ptr<const Trace> other = {};       ///< the same model's run on another text
  std::vector<std::string> left_out = {},
                           patched = {}; ///< its parts that add nothing, or what they add there

  bool has(const std::string& name) const { return given.has(name); }
  bool masks() const { return causal || pad > 0 || has("mask_given"); }
};

/// What a lesson can take: the tensors and numbers it starts from. A lesson's row lists several.
enum class Input {
  X,            ///< the vectors of tokens
  QKV,          ///< Q, K and V themselves, where they are not projected from X
  X_QKV,        ///< X_Q, X_K and X_V to project instead of X
  W_QKV,        ///< W_Q, W_K, W_V and their biases
  heads,        ///< a number of heads, W_O behind them, dropout of their weights
  memory,       ///< what is asked instead of X: keys and values are projected from it
  rotary,       ///< positions by which queries and keys turn
  todays_block, ///< every parameter of a block since 2017
  cache,        ///< keys and values are kept: X is read token by token
  token_ids,    ///< numbers of words, token_embedding, and positions
  feed_forward, ///< W_1, b_1, W_2, b_2
  norms,        ///< gains and shifts
  labels,       ///< what each token is asked for, with a W_O to a vocabulary
  logits,       ///< of a vocabulary, in place of what they are made of
  optimizer,    ///< what the parameters learn with
  sampling,     ///< a place to draw at, how to draw; log-probabilities and lengths of a beam's targets
  sentences,    ///< src, tgt and every parameter of an encoder-decoder, drawn
  sizes,        ///< the widths of an encoder-decoder, as numbers
  begun,        ///< a text that is begun, and every parameter of a decoder alone that goes on with it
  repeated,     ///< a text that repeats itself, and every parameter of a decoder of attention alone
  answer,       ///< a trained model's run on a text, and a token that it may say there
  subwords      ///< the symbols of a text's pieces, how often it has each, and of a word to be cut
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
/// A whole input as the options say.
using MakeInput = LessonInput (*)(const InputOptions&, const InputRules&);

/// What a lesson asks of its input: all that resolve_input knows of the lesson.
struct InputRules {
  std::string command; ///< "scores"
  std::vector<Input> inputs = {};
  std::string tutorial = {}; ///< default data: "fun-transformer:1"
  Squares squares = {};
  MaskRule mask_rule = MaskRule::none;
  std::string text = {};          ///< the words of its run, where it has no tutorial's data
  std::string reference = {};     ///< NumPy's run of these words
  MakeInput own_input = nullptr;  ///< makes all of it, where no tutorial's data and no tokens do
  MakeInput from_model = nullptr; ///< from a trained one, --model, where it can run on that

  bool takes(Input one) const { return std::ranges::count(inputs, one) > 0; }
  bool masks() const { return mask_rule >= MaskRule::asked; }
  /// No word of a source is later than one of the target.
  bool may_be_causal() const { return masks() && !takes(Input::memory); }
  bool takes_tutorial_mask() const { return mask_rule >= MaskRule::tutorial; }
  bool causal_by_default() const { return mask_rule == MaskRule::causal; }
};

/// Whether the lesson takes one of these, as options and properties ask.
template <Input... any>
bool takes(const InputRules& lesson) {
  return (lesson.takes(any) || ...);
}

/// Whether --model means a decoder alone, and nothing else will do.
inline bool reads_decoder_alone(const InputRules& lesson) {
  return takes<Input::sampling, Input::sizes, Input::begun, Input::repeated, Input::rotary>(lesson);
}

/// The tensor of that name, and what it was made from, become steps of `trace` (once).
void give(Trace& trace, const LessonInput& input, const std::string& name);

/// name = table[ids]: rows of an embedding table (or of the distinct words' vectors) by their numbers.
void give_rows(Trace& trace, const std::string& name, const std::string& table, const std::string& ids);

} // namespace tfx
