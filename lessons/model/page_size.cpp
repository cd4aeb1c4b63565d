#include "lessons/model/page_size.hpp"

#include "model/encoder_decoder.hpp"
#include "model/parameters.hpp"

namespace tfx {

namespace {

/// Cells of the steps of lessons/model/page.cpp, in its order.
class PageSize {
public:
  PageSize(const Config& config, const PageTokens& tokens)
      : d_(static_cast<double>(config.d_model)),
        d_ff_(static_cast<double>(config.d_ff)),
        heads_(static_cast<double>(config.heads)),
        per_norm_(config.norm.rule == NormRule::annotated ? 3 : 4),
        t_(tokens) {}

  double ids(double n, bool padded) const { return (padded ? 2 : 1) * t_.batch * n + n; }
  double embed(double n) const { return 3 * t_.batch * n * d_ + 2 * n * d_; }
  double norm(double n) const { return t_.batch * n * (4 * d_ + per_norm_); }

  double attention(double n_q, double n_k, bool causal, bool padded) const {
    const double squares = causal || padded ? 5 : 3; // scores, scaled, weights; the mask, masked
    return t_.batch * (d_ * (5 * n_q + 4 * n_k) + heads_ * squares * n_q * n_k) + (causal ? n_q * n_k : 0);
  }

  double feed_forward(double n) const { return t_.batch * n * (2 * d_ff_ + d_); }
  double around(double n) const { return norm(n) + t_.batch * n * d_; } // a sublayer's norm and its sum

private:
  double d_, d_ff_, heads_, per_norm_;
  PageTokens t_;
};

} // namespace

double page_cells(const Config& config, const PageTokens& tokens) {
  const PageSize of(config, tokens);
  const double src = tokens.src, tgt = tokens.tgt, layers = static_cast<double>(config.layers),
               vocabulary = static_cast<double>(config.tgt_vocab);
  const double encoder_layer = of.attention(src, src, false, tokens.src_padded) + of.feed_forward(src) +
                               2 * of.around(src),
               decoder_layer = of.attention(tgt, tgt, true, tokens.tgt_padded) +
                               of.attention(tgt, src, false, tokens.src_padded) + of.feed_forward(tgt) +
                               3 * of.around(tgt);
  return of.ids(src, tokens.src_padded) + of.ids(tgt, tokens.tgt_padded) + of.embed(src) + of.embed(tgt) +
         layers * (encoder_layer + decoder_layer) + of.norm(src) + of.norm(tgt) +
         2 * tokens.batch * tgt * vocabulary;
}

double page_bytes(const Config& config, const PageTokens& tokens) {
  const auto parameters = static_cast<double>(count_parameters(EncoderDecoder<ShapesOnly>(config)));
  return sizeof(double) * (parameters + page_cells(config, tokens));
}

} // namespace tfx
