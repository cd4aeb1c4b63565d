#include "layers/decoder_layer.hpp"

namespace tfx {

template <class Real>
void apply(arma::Mat<Real>& x, const DecoderLayer<Real>& layer, const Sequences& sequences,
           const Tokens<Real>& memory, const LayerStyle& style, const Pass<Real>& pass) {
  using Mat = arma::Mat<Real>;
  const Function<Real> attend = [&](const Mat& y) {
    const Tokens<Real> tokens{y, sequences};
    return forward(layer.self_attn, tokens, tokens, {style.heads, Mask::causal}, pass.inside("self_attn"));
  };
  const Function<Real> look_at_source = [&](const Mat& y) {
    const Tokens<Real> tokens{y, sequences};
    return forward(layer.src_attn, tokens, memory, {style.heads, Mask::none}, pass.inside("src_attn"));
  };
  const Function<Real> feed = [&](const Mat& y) {
    return forward(layer.feed_forward, y, sequences, style.activation, pass.inside("feed_forward"));
  };
  apply(x, layer.sublayer[0], attend, style.norm, sequences, pass.inside("sublayer.0"));
  apply(x, layer.sublayer[1], look_at_source, style.norm, sequences, pass.inside("sublayer.1"));
  apply(x, layer.sublayer[2], feed, style.norm, sequences, pass.inside("sublayer.2"));
}

template void apply(arma::Mat<float>&, const DecoderLayer<float>&, const Sequences&, const Tokens<float>&,
                    const LayerStyle&, const Pass<float>&);
template void apply(arma::Mat<double>&, const DecoderLayer<double>&, const Sequences&, const Tokens<double>&,
                    const LayerStyle&, const Pass<double>&);

} // namespace tfx
