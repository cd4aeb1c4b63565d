// Cells of the steps of lessons/model/page.cpp, in its order.

#include "core/memory.hpp"
#include "lessons/model/page.hpp"
#include "model/counts.hpp"
#include "model/transformer.hpp"

#include <algorithm>

namespace tfx {

namespace {

class PageSize {
public:
  PageSize(const ModelSpec& spec, const PageTokens& tokens)
      : spec_(spec),
        t_(tokens),
        d_(static_cast<double>(spec.d_model)),
        d_ff_(static_cast<double>(spec.d_ff)),
        heads_(static_cast<double>(spec.heads)),
        width_(static_cast<double>(spec.width_of_head())),
        keys_(static_cast<double>(spec.key_heads())) {}

  double all() const {
    double cells = 0;
    if (spec_.has_encoder()) cells += side(t_.src, t_.src_padded, encoder_layer());
    if (spec_.has_decoder())
      cells += side(t_.tgt, t_.tgt_padded, decoder_layer()) +
               2 * t_.batch * t_.tgt * static_cast<double>(spec_.tgt_vocab);
    return cells;
  }

private:
  double side(double n, bool padded, double layer) const {
    return ids(n, padded) + embed(n) + static_cast<double>(spec_.layers) * layer +
           (spec_.final_norm ? norm(n, d_) : 0) + (spec_.positions == Positions::rotary ? n * width_ / 2 : 0);
  }
  double encoder_layer() const {
    const double own = attention(t_.src, t_.src, false, t_.src_padded) + turned(t_.src);
    return around(t_.src, own) + feed_forward(t_.src);
  }
  double decoder_layer() const {
    const double own = attention(t_.tgt, t_.tgt, true, t_.tgt_padded) + turned(t_.tgt),
                 cross = spec_.has_encoder() ? around(t_.tgt, attention(t_.tgt, t_.src, false, t_.src_padded))
                                             : 0;
    return around(t_.tgt, own) + cross + feed_forward(t_.tgt);
  }

  double ids(double n, bool padded) const {
    return (padded ? 2 : 1) * t_.batch * n + (spec_.positions == Positions::none ? 0 : n);
  }

  double embed(double n) const {
    const double of_position = spec_.positions == Positions::sinusoidal ? 2
                               : spec_.positions == Positions::learned  ? 1
                                                                        : 0;
    return t_.batch * n * d_ * (1 + spec_.scaled_embedding + (of_position > 0)) + of_position * n * d_ +
           (spec_.embedding_norm ? norm(n, d_) : 0);
  }

  double norm(double n, double width) const {
    const double moments = spec_.norm.rule == Norm::layer ? 4 : 3;
    return t_.batch * n * ((2 + spec_.norm.gain + spec_.norm.shift) * width + moments);
  }

  double attention(double n_q, double n_k, bool causal, bool padded) const {
    const double squares = causal || padded ? 5 : 3, // scores, scaled, weights; the mask, masked
        queries = 4 * n_q * heads_ * width_ + n_q * d_, keys = 4 * n_k * keys_ * width_,
                 shared = keys_ < heads_ ? 2 * n_k * heads_ * width_ : 0,
                 normed = spec_.qk_norm ? norm(heads_ * n_q + keys_ * n_k, width_) : 0;
    return t_.batch * (queries + keys + shared + heads_ * squares * n_q * n_k) + normed +
           (causal ? n_q * n_k : 0);
  }

  /// Queries and keys of a self-attention.
  double turned(double n) const {
    return spec_.positions == Positions::rotary ? t_.batch * n * (heads_ + keys_) * width_ : 0;
  }

  double feed_forward(double n) const {
    return d_ff_ > 0 ? around(n, t_.batch * n * ((spec_.gated ? 4 : 2) * d_ff_ + d_)) : 0;
  }

  /// A function with its sublayer's norm and sum.
  double around(double n, double function) const { return function + norm(n, d_) + t_.batch * n * d_; }

  const ModelSpec& spec_;
  PageTokens t_;
  double d_, d_ff_, heads_, width_, keys_;
};

} // namespace

double page_cells(const ModelSpec& spec, const PageTokens& tokens) {
  return PageSize(spec, tokens).all();
}

double page_bytes(const ModelSpec& spec, const PageTokens& tokens) {
  const auto parameters = static_cast<double>(count_parameters(Transformer<ShapesOnly>(spec)));
  return sizeof(double) * (parameters + page_cells(spec, tokens));
}

PageTokens tokens_on_page(const Batch& src, const Batch& tgt, std::uint32_t pad) {
  const auto is_padded = [&](const Batch& batch) { return std::ranges::count(batch.ids, pad) > 0; };
  return {static_cast<double>(src.sequences.longest()), static_cast<double>(tgt.sequences.longest()),
          static_cast<double>(std::max(src.sequences.count(), tgt.sequences.count())), is_padded(src),
          is_padded(tgt)};
}

} // namespace tfx
