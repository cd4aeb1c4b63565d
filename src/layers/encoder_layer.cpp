#include "layers/encoder_layer.hpp"

namespace tfx {

template <class Real>
void apply(arma::Mat<Real>& x, const EncoderLayer<Real>& layer, const Sequences& sequences,
           const LayerStyle& style, const Pass<Real>& pass) {
  using Mat = arma::Mat<Real>;
  const Function<Real> attend = [&](const Mat& y) {
    const Tokens<Real> tokens{y, sequences};
    return forward(layer.self_attn, tokens, tokens, {style.heads, Mask::none}, pass.inside("self_attn"));
  };
  const Function<Real> feed = [&](const Mat& y) {
    return forward(layer.feed_forward, y, sequences, style.activation, pass.inside("feed_forward"));
  };
  apply(x, layer.sublayer[0], attend, style.norm, sequences, pass.inside("sublayer.0"));
  apply(x, layer.sublayer[1], feed, style.norm, sequences, pass.inside("sublayer.1"));
}

template void apply(arma::Mat<float>&, const EncoderLayer<float>&, const Sequences&, const LayerStyle&,
                    const Pass<float>&);
template void apply(arma::Mat<double>&, const EncoderLayer<double>&, const Sequences&, const LayerStyle&,
                    const Pass<double>&);

} // namespace tfx
