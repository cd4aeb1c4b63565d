#include "lessons/lesson.hpp"

namespace tfx {

const std::vector<Lesson>& lessons() {
  static const std::vector<Lesson> all = {
      {0, "lookup", "lessons/00_lookup", Stage::attention, "happy-llm:1", false, false, false, "output",
       run_lookup},
      {1, "words", "lessons/01_words", Stage::vectors, "fun-transformer:1", false, false, false, "dots",
       run_words},
      {2, "qkv", "lessons/02_qkv", Stage::projections, "fun-transformer:1", false, false, false, "Q,K,V",
       run_qkv},
      {3, "scores", "lessons/03_scores", Stage::attention, "fun-transformer:1", false, false, false, "scores",
       run_scores},
      {4, "softmax", "lessons/04_softmax", Stage::attention, "fun-transformer:1", false, false, true,
       "weights", run_softmax},
      {5, "attention", "lessons/05_attention", Stage::attention, "fun-transformer:1", false, false, true,
       "output", run_attention},
      {6, "sdpa", "lessons/06_sdpa", Stage::attention, "scaled-dot-product:1", false, false, true, "output",
       run_sdpa},
      {7, "masked", "lessons/07_masked", Stage::attention, "happy-llm:2", true, true, true, "weights",
       run_masked},
      {8, "multihead", "lessons/08_multihead", Stage::heads, "happy-llm:2", false, true, true, "output",
       run_multihead},
      {9, "cross", "lessons/09_cross", Stage::memory, "happy-llm:3", false, false, true, "weights",
       run_cross},
      {10, "embed", "lessons/10_embed", Stage::tokens, "annotated:2", false, false, false, "X", run_embed},
      {11, "block", "lessons/11_block", Stage::layer, "annotated:3", false, false, true, "output", run_block},
      {13, "loss", "lessons/13_loss", Stage::loss, "happy-llm:4", true, true, true, "dlogits", run_loss},
  };
  return all;
}

} // namespace tfx
