// What learners write instead of Q·Kᵀ.

#include "trace/mistake.hpp"

namespace tfx {

std::vector<Mistake> scores_mistakes() {
  return {Mistake{"scores.no_transpose", {{"scores", "Qₕ·Kₕ"}}}.mended_by(
              "Q @ K.T", "Q @ K.transpose(-2, -1)", "Q * K.t()"),
          Mistake{"scores.swapped", {{"scores", "Kₕ·Qₕᵀ"}}}.mended_by("Q @ K.T", "Q @ K.transpose(-2, -1)",
                                                                      "Q * K.t()")};
}

} // namespace tfx
