#include "model/encoder_decoder.hpp"

#include "core/error.hpp"
#include "core/memory.hpp"
#include "core/parallel.hpp"
#include "kernels/softmax.hpp"
#include "layers/positional.hpp"
#include "model/parameters.hpp"

namespace tfx {

namespace {

/// The shape, once it is known to be sound and, with numbers, to fit in memory.
template <class Real>
const Config& checked(const Config& config) {
  require_valid(config);
  if constexpr (!std::is_same_v<Real, ShapesOnly>)
    require_memory(static_cast<double>(count_parameters(EncoderDecoder<ShapesOnly>(config))) * sizeof(Real),
                   "the model");
  return config;
}

template <class Real>
arma::Mat<Real> embed_tokens(const Embedding<Real>& layer, const Batch& batch, const Config& config,
                             const Pass<Real>& pass) {
  if (batch.sequences.longest() > config.max_len)
    throw Error(ErrorKind::bad_data,
                "a sequence has " + std::to_string(batch.sequences.longest()) + " tokens, the model takes " +
                    std::to_string(config.max_len),
                "shorten the sequence");
  arma::Mat<Real> x = forward(layer, batch.ids);
  add_sinusoidal_positions(x, batch.sequences);
  drop(pass, x);
  return x;
}

} // namespace

template <class Real>
EncoderDecoder<Real>::EncoderDecoder(const Config& shape)
    : config(checked<Real>(shape)),
      encoder(config.layers, config.d_model, config.d_ff),
      decoder(config.layers, config.d_model, config.d_ff),
      src_embed(config.d_model, config.src_vocab),
      tgt_embed(config.d_model, config.tgt_vocab),
      generator(config.d_model, config.tgt_vocab) {}

template <class Real>
void apply(arma::Mat<Real>& x, const Encoder<Real>& encoder, const Sequences& sequences,
           const LayerStyle& style, const Pass<Real>& pass) {
  for (std::size_t i = 0; i < encoder.layers.size(); ++i)
    apply(x, encoder.layers[i], sequences, style, pass.inside("encoder.layers." + std::to_string(i)));
  x = forward(encoder.norm, x, style.norm.rule);
  report(pass, "memory", x, sequences);
}

template <class Real>
void apply(arma::Mat<Real>& x, const Decoder<Real>& decoder, const Sequences& sequences,
           const Tokens<Real>& memory, const LayerStyle& style, const Pass<Real>& pass) {
  for (std::size_t i = 0; i < decoder.layers.size(); ++i)
    apply(x, decoder.layers[i], sequences, memory, style, pass.inside("decoder.layers." + std::to_string(i)));
  x = forward(decoder.norm, x, style.norm.rule);
  report(pass, "decoder.output", x, sequences);
}

template <class Real>
arma::Mat<Real> encode(const EncoderDecoder<Real>& model, const Batch& src, const Pass<Real>& pass) {
  arma::Mat<Real> x = embed_tokens(model.src_embed, src, model.config, pass.inside("src_embed"));
  report(pass, "src_embed", x, src.sequences);
  apply(x, model.encoder, src.sequences, model.config.style, pass);
  return x;
}

template <class Real>
arma::Mat<Real> decode(const EncoderDecoder<Real>& model, const Batch& tgt, const Tokens<Real>& memory,
                       const Pass<Real>& pass) {
  arma::Mat<Real> x = embed_tokens(model.tgt_embed, tgt, model.config, pass.inside("tgt_embed"));
  report(pass, "tgt_embed", x, tgt.sequences);
  apply(x, model.decoder, tgt.sequences, memory, model.config.style, pass);
  return x;
}

template <class Real>
arma::Mat<Real> generate(const EncoderDecoder<Real>& model, const Tokens<Real>& output,
                         const Pass<Real>& pass) {
  arma::Mat<Real> logits = forward(model.generator, output.values);
  report(pass, "logits", logits, output.sequences);
  parallel_for(logits.n_cols, [&](Slice slice) {
    const MatrixView<Real> slab = view(logits).columns(slice.begin, slice.size());
    log_softmax(slab, slab);
  });
  report(pass, "log_probs", logits, output.sequences);
  return logits;
}

template <class Real>
arma::Mat<Real> forward(const EncoderDecoder<Real>& model, const Batch& src, const Batch& tgt,
                        const Pass<Real>& pass) {
  const arma::Mat<Real> memory = encode(model, src, pass);
  const arma::Mat<Real> output = decode(model, tgt, Tokens<Real>{memory, src.sequences}, pass);
  return generate(model, Tokens<Real>{output, tgt.sequences}, pass);
}

template struct EncoderDecoder<ShapesOnly>;
template struct EncoderDecoder<float>;
template void apply(arma::Mat<float>&, const Encoder<float>&, const Sequences&, const LayerStyle&,
                    const Pass<float>&);
template void apply(arma::Mat<float>&, const Decoder<float>&, const Sequences&, const Tokens<float>&,
                    const LayerStyle&, const Pass<float>&);
template arma::Mat<float> encode(const EncoderDecoder<float>&, const Batch&, const Pass<float>&);
template arma::Mat<float> decode(const EncoderDecoder<float>&, const Batch&, const Tokens<float>&,
                                 const Pass<float>&);
template arma::Mat<float> generate(const EncoderDecoder<float>&, const Tokens<float>&, const Pass<float>&);
template arma::Mat<float> forward(const EncoderDecoder<float>&, const Batch&, const Batch&,
                                  const Pass<float>&);
template struct EncoderDecoder<double>;
template void apply(arma::Mat<double>&, const Encoder<double>&, const Sequences&, const LayerStyle&,
                    const Pass<double>&);
template void apply(arma::Mat<double>&, const Decoder<double>&, const Sequences&, const Tokens<double>&,
                    const LayerStyle&, const Pass<double>&);
template arma::Mat<double> encode(const EncoderDecoder<double>&, const Batch&, const Pass<double>&);
template arma::Mat<double> decode(const EncoderDecoder<double>&, const Batch&, const Tokens<double>&,
                                  const Pass<double>&);
template arma::Mat<double> generate(const EncoderDecoder<double>&, const Tokens<double>&,
                                    const Pass<double>&);
template arma::Mat<double> forward(const EncoderDecoder<double>&, const Batch&, const Batch&,
                                   const Pass<double>&);

} // namespace tfx
