#pragma once
// A small Llama, read from its file as Hugging Face writes them, with the logits that PyTorch computes of it:
// what alone can tell in which of the two ways the columns of queries and keys are paired.

#include "input/lesson_input.hpp"

namespace tfx {

class SmallLlama {
public:
  SmallLlama();

  /// What the lesson computes of head `head`: X as it reaches the attention, the head's W_Q and W_K, and how
  /// the file's family turns them.
  LessonInput head(std::size_t head) const;
  std::size_t heads() const { return heads_; }

  /// How far the model's logits are from the stored ones, with these scores of all heads, each n × n, in the
  /// place of its own; infinite where the shapes differ.
  double logits_off(const std::vector<Tensor>& scores) const;

private:
  Trace page_;
  Tensor logits_; ///< PyTorch's
  std::size_t heads_ = 0, key_heads_ = 0;
  RotaryPairs pairs_ = RotaryPairs::halves;
  double base_ = usual_rotary_base;
};

} // namespace tfx
