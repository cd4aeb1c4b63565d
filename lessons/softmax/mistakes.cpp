// What learners write instead of softmax(scores/√d_k) along the rows.

#include "trace/mistake.hpp"

#include <cmath>

namespace tfx {

std::vector<Mistake> softmax_mistakes() {
  return {Mistake{"softmax.wrong_axis",
                  {{"row_max", "colmax(S)", "max(S, axis=rows_axis)"},
                   {"row_sum", "colsum(exponentials)", "sum(exponentials, axis=rows_axis)"},
                   {"weights unless row_sum", "softmax(S, axis=0)", "softmax(S, axis=rows_axis)"}}}
              .mended_by("s.max(axis=-1, keepdims=True), s.sum(axis=-1, keepdims=True)",
                         "F.softmax(s, dim=-1)", "arma::max(s, 1), arma::sum(s, 1)"),
          Mistake{"softmax.no_scale", {{"scaled", "scores"}}}.mended_by(
              "scores / np.sqrt(d_k)", "scores / math.sqrt(d_k)", "scores / std::sqrt(d_k)"),
          Mistake{"softmax.scale_dk", {{"scaled", "scores/d_k"}}}.mended_by(
              "scores / np.sqrt(d_k)", "scores / math.sqrt(d_k)", "scores / std::sqrt(d_k)"),
          Mistake{"softmax.scale_dv", {{"scaled", "scores/√d_v"}}}.mended_by(
              "np.sqrt(K.shape[-1])", "math.sqrt(K.shape[-1])", "std::sqrt(K.n_cols)"),
          Mistake{"softmax.scale_n", {{"scaled", "scores/√n_k"}}}.mended_by(
              "np.sqrt(K.shape[-1])", "math.sqrt(K.shape[-1])", "std::sqrt(K.n_cols)"),
          Mistake{"softmax.scale_multiplied", {{"scaled", "scores·√d_k"}}}.mended_by(
              "scores / np.sqrt(d_k)", "scores / math.sqrt(d_k)", "scores / std::sqrt(d_k)"),
          Mistake{"softmax.scale_after", {{"scaled", "scores"}, {"weights if scaled", "x/√d_k", "x/√d_k"}}}
              .as_a_whole()
              .mended_by("scores / np.sqrt(d_k)", "scores / math.sqrt(d_k)", "scores / std::sqrt(d_k)"),
          Mistake{"softmax.no_max",
                  {{"row_max", "0"},
                   {"weights unless row_sum", "where([rowmax(S) = −∞], x, e^S/rowsum(e^S))",
                    "e^S / rowsum(e^S)"}}}
              .mended_by("np.exp(s - s.max(-1, keepdims=True))", "torch.exp(s - s.amax(-1, keepdim=True))",
                         "s.each_col() -= arma::max(s, 1)"),
          {"softmax.twice", {{"weights", "softmax(x)"}}}};
}

} // namespace tfx
