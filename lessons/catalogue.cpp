#include "lessons/catalogue.hpp"

namespace tfx {

const std::vector<Lesson>& lessons() {
  static const std::vector<Lesson> all = {
      {{"lookup", Stage::attention, "happy-llm:1", false, false, false}, 0, "lessons/00_lookup", run_lookup},
      {{"words", Stage::vectors, "fun-transformer:1", false, false, false}, 1, "lessons/01_words", run_words},
      {{"qkv", Stage::projections, "fun-transformer:1", false, false, false}, 2, "lessons/02_qkv", run_qkv},
      {{"scores", Stage::attention, "fun-transformer:1", false, false, false},
       3,
       "lessons/03_scores",
       run_scores},
      {{"softmax", Stage::attention, "fun-transformer:1", false, false, true},
       4,
       "lessons/04_softmax",
       run_softmax},
      {{"attention", Stage::attention, "fun-transformer:1", false, false, true},
       5,
       "lessons/05_attention",
       run_attention},
      {{"sdpa", Stage::attention, "scaled-dot-product:1", false, false, true},
       6,
       "lessons/06_sdpa",
       run_sdpa},
      {{"masked", Stage::attention, "happy-llm:2", true, true, true}, 7, "lessons/07_masked", run_masked},
      {{"multihead", Stage::heads, "happy-llm:2", false, true, true},
       8,
       "lessons/08_multihead",
       run_multihead},
      {{"cross", Stage::memory, "happy-llm:3", false, false, true}, 9, "lessons/09_cross", run_cross},
      {{"embed", Stage::tokens, "annotated:2", false, false, false}, 10, "lessons/10_embed", run_embed},
      {{"block", Stage::layer, "annotated:3", false, false, true}, 11, "lessons/11_block", run_block},
      {{"loss", Stage::loss, "happy-llm:4", true, true, true}, 13, "lessons/13_loss", run_loss},
  };
  return all;
}

} // namespace tfx
