#pragma once
// A lesson is a function from its input to a Trace. It never prints.

#include "lessons/layer_formulas.hpp"
#include "trace/trace.hpp"

#include <string>
#include <vector>

namespace tfx {

enum class BlockedRow { zero, nan, error }; ///< the weights of a row that may see nothing

/// What a lesson runs on: given tensors by the contract's names, and how to attend.
struct LessonInput {
  Trace given;                    ///< X, W_Q … or Q, K, V: lessons take what they need with `give`
  std::vector<std::string> notes; ///< what the learner should know about the input (for stderr)
  bool named_words = false;       ///< rows have names of their own; otherwise they are q1, k1, v1 …
  std::string reference;          ///< the run NumPy's reference was made of, where this is exactly that run
  std::size_t heads = 1;
  bool causal = false;
  std::size_t pad = 0;
  BlockedRow blocked_row = BlockedRow::zero;
  page::NormRule norm = page::NormRule::annotated;
  bool norm_first = true;
  double smoothing = 0; ///< of the labels
  double dropout = 0;   ///< of the attention weights; "keep" is given where it is not 0

  bool has(const std::string& name) const { return given.has(name); }
  bool masks() const { return causal || pad > 0 || has("mask_given"); }
};

/// What a lesson starts from.
enum class Stage {
  vectors,     ///< X
  projections, ///< X and W_Q, W_K, W_V
  attention,   ///< Q, K, V: given, or projected from X
  heads,       ///< X, the three projections, W_O and a number of heads
  memory,      ///< X, memory, and the three projections
  tokens,      ///< token_ids and token_embedding
  layer,       ///< X and every parameter of an encoder layer
  loss         ///< labels, and logits or what they are made of: X, the three projections, W_O to a vocabulary
};

struct Lesson {
  int number;
  std::string command; ///< "scores"
  std::string folder;  ///< "lessons/03_scores"
  Stage stage;
  std::string tutorial;     ///< default data: "fun-transformer:1"
  bool causal_by_default;   ///< masked without any mask option
  bool takes_tutorial_mask; ///< masked and multihead follow the tutorial's causal mask
  bool masks;               ///< whether a mask acts in it
  std::string result;       ///< tensors without which a learner's file answers nothing: "Q,K,V"
  Trace (*run)(const LessonInput&);
};

/// Every lesson in order.
const std::vector<Lesson>& lessons();

Trace run_lookup(const LessonInput&);
Trace run_words(const LessonInput&);
Trace run_qkv(const LessonInput&);
Trace run_scores(const LessonInput&);
Trace run_softmax(const LessonInput&);
Trace run_attention(const LessonInput&);
Trace run_sdpa(const LessonInput&);
Trace run_masked(const LessonInput&);
Trace run_multihead(const LessonInput&);
Trace run_cross(const LessonInput&);
Trace run_embed(const LessonInput&);
Trace run_block(const LessonInput&);
Trace run_loss(const LessonInput&);

} // namespace tfx
