#include "model/encoder_decoder.hpp"

#include "core/error.hpp"
#include "core/memory.hpp"
#include "core/parallel.hpp"
#include "kernels/softmax.hpp"
#include "layers/embedding.hpp"
#include "model/counts.hpp"

namespace tfx {

namespace {

/// The shape, once it is known to be sound and, with numbers, to fit in memory.
template <class Real>
const Config& checked(const Config& config) {
  require_valid(config);
  if constexpr (!std::is_same_v<Real, ShapesOnly>)
    require_memory(static_cast<double>(count_parameters(EncoderDecoder<ShapesOnly>(config))) * sizeof(Real),
                   said("the model"));
  return config;
}

template <class Real>
arma::Mat<Real> embed_tokens(const Embedding<Real>& layer, const Batch& batch, const Config& config,
                             const ForwardContext<Real>& context) {
  if (batch.sequences.longest() > config.max_len)
    throw Error(ErrorKind::bad_data,
                said("a sequence has {count} tokens, the model takes {most}",
                     {{"count", batch.sequences.longest()}, {"most", config.max_len}}),
                said("shorten the sequence"));
  arma::Mat<Real> x = forward(layer, batch.ids);
  add_sinusoidal_positions(x, batch.sequences);
  drop(context, x);
  context.mark(Pass::forward);
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
void apply(const ResidualStream<Real>& x, const Encoder<Real>& encoder, const LayerStyle& style,
           const ForwardContext<Real>& context, StackSaved<EncoderLayerSaved<Real>, Real>* saved) {
  if (saved) saved->layers.resize(encoder.layers.size());
  for (std::size_t i = 0; i < encoder.layers.size(); ++i) {
    const ForwardContext<Real> inside = context.inside("encoder.layers." + std::to_string(i));
    apply(x, encoder.layers[i], style, inside, saved ? &saved->layers[i] : nullptr);
    inside.mark(Pass::forward);
  }
  if (saved) saved->norm_input = x.values;
  x.values = forward(encoder.norm, x.values, style.norm.rule);
  context.inside("encoder.norm").mark(Pass::forward);
  report(context, "memory", x.values, x.sequences);
}

template <class Real>
void apply(const ResidualStream<Real>& x, const Decoder<Real>& decoder, const Tokens<Real>& memory,
           const LayerStyle& style, const ForwardContext<Real>& context,
           StackSaved<DecoderLayerSaved<Real>, Real>* saved) {
  if (saved) saved->layers.resize(decoder.layers.size());
  for (std::size_t i = 0; i < decoder.layers.size(); ++i) {
    const ForwardContext<Real> inside = context.inside("decoder.layers." + std::to_string(i));
    apply(x, decoder.layers[i], memory, style, inside, saved ? &saved->layers[i] : nullptr);
    inside.mark(Pass::forward);
  }
  if (saved) saved->norm_input = x.values;
  x.values = forward(decoder.norm, x.values, style.norm.rule);
  context.inside("decoder.norm").mark(Pass::forward);
  report(context, "decoder.output", x.values, x.sequences);
}

namespace {

template <class Real>
arma::Mat<Real> encode(const EncoderDecoder<Real>& model, const Batch& src,
                       const ForwardContext<Real>& context,
                       StackSaved<EncoderLayerSaved<Real>, Real>* saved) {
  arma::Mat<Real> x = embed_tokens(model.src_embed, src, model.config, context.inside("src_embed"));
  report(context, "src_embed", x, src.sequences);
  apply<Real>({x, src.sequences}, model.encoder, model.config.style(), context, saved);
  return x;
}

template <class Real>
arma::Mat<Real> decode(const EncoderDecoder<Real>& model, const Batch& tgt, const Tokens<Real>& memory,
                       const ForwardContext<Real>& context,
                       StackSaved<DecoderLayerSaved<Real>, Real>* saved) {
  arma::Mat<Real> x = embed_tokens(model.tgt_embed, tgt, model.config, context.inside("tgt_embed"));
  report(context, "tgt_embed", x, tgt.sequences);
  apply<Real>({x, tgt.sequences}, model.decoder, memory, model.config.style(), context, saved);
  return x;
}

} // namespace

template <class Real>
arma::Mat<Real> encode(const EncoderDecoder<Real>& model, const Batch& src,
                       const ForwardContext<Real>& context) {
  return encode<Real>(model, src, context, nullptr);
}

template <class Real>
arma::Mat<Real> decode(const EncoderDecoder<Real>& model, const Batch& tgt, const Tokens<Real>& memory,
                       const ForwardContext<Real>& context) {
  return decode<Real>(model, tgt, memory, context, nullptr);
}

template <class Real>
arma::Mat<Real> generate(const EncoderDecoder<Real>& model, const Tokens<Real>& output,
                         const ForwardContext<Real>& context) {
  arma::Mat<Real> log_probs = forward(model.generator, output.values);
  report(context, "logits", log_probs, output.sequences);
  parallel_for(log_probs.n_cols, [&](Slice slice) {
    const MatrixView<Real> slab = view(log_probs).columns(slice.begin, slice.size());
    log_softmax(slab, slab);
  });
  report(context, "log_probs", log_probs, output.sequences);
  return log_probs;
}

template <class Real>
arma::Mat<Real> forward(const EncoderDecoder<Real>& model, const Batch& src, const Batch& tgt,
                        const ForwardContext<Real>& context) {
  const arma::Mat<Real> memory = encode(model, src, context);
  const arma::Mat<Real> output = decode(model, tgt, Tokens<Real>{memory, src.sequences}, context);
  return generate(model, Tokens<Real>{output, tgt.sequences}, context);
}

template <class Real>
arma::Mat<Real> logits(const EncoderDecoder<Real>& model, const Batch& src, const Batch& tgt,
                       const ForwardContext<Real>& context, ModelSaved<Real>& saved) {
  saved.encoder.output = encode<Real>(model, src, context, &saved.encoder);
  saved.decoder.output =
      decode<Real>(model, tgt, {saved.encoder.output, src.sequences}, context, &saved.decoder);
  arma::Mat<Real> logits = forward(model.generator, saved.decoder.output);
  context.inside("generator").mark(Pass::forward);
  return logits;
}

template <class Real>
void backward(const Trainable<EncoderDecoder<Real>>& model, const ModelSaved<Real>& saved, const Batch& src,
              const Batch& tgt, const arma::Mat<Real>& d_logits, const ForwardContext<Real>& context) {
  const auto& [parameters, gradient] = model;
  const LayerStyle style = parameters.config.style();
  const arma::Mat<Real>& memory = saved.encoder.output;
  arma::Mat<Real> d_memory(arma::size(memory), arma::fill::zeros);

  const auto done = [&](const std::string& part) { context.inside(part).mark(Pass::backward); };
  arma::Mat<Real> d =
      backward<Real>({parameters.generator, gradient.generator}, saved.decoder.output, d_logits);
  done("generator");
  d = backward<Real>({parameters.decoder.norm, gradient.decoder.norm}, saved.decoder.norm_input, d,
                     style.norm.rule);
  done("decoder.norm");
  for (std::size_t i = parameters.decoder.layers.size(); i-- > 0;) {
    const std::string part = "decoder.layers." + std::to_string(i);
    apply_backward<Real>({d, tgt.sequences}, {parameters.decoder.layers[i], gradient.decoder.layers[i]},
                         saved.decoder.layers[i], {{memory, src.sequences}, d_memory}, style,
                         context.inside(part));
    done(part);
  }
  drop(context.inside("tgt_embed"), d);
  backward<Real>({parameters.tgt_embed, gradient.tgt_embed}, tgt.ids, d);
  done("tgt_embed");

  d = backward<Real>({parameters.encoder.norm, gradient.encoder.norm}, saved.encoder.norm_input, d_memory,
                     style.norm.rule);
  done("encoder.norm");
  for (std::size_t i = parameters.encoder.layers.size(); i-- > 0;) {
    const std::string part = "encoder.layers." + std::to_string(i);
    apply_backward<Real>({d, src.sequences}, {parameters.encoder.layers[i], gradient.encoder.layers[i]},
                         saved.encoder.layers[i], style, context.inside(part));
    done(part);
  }
  drop(context.inside("src_embed"), d);
  backward<Real>({parameters.src_embed, gradient.src_embed}, src.ids, d);
  done("src_embed");
}

template struct EncoderDecoder<ShapesOnly>;
template struct EncoderDecoder<float>;
template void apply(const ResidualStream<float>&, const Encoder<float>&, const LayerStyle&,
                    const ForwardContext<float>&, StackSaved<EncoderLayerSaved<float>, float>*);
template void apply(const ResidualStream<float>&, const Decoder<float>&, const Tokens<float>&,
                    const LayerStyle&, const ForwardContext<float>&,
                    StackSaved<DecoderLayerSaved<float>, float>*);
template arma::Mat<float> encode(const EncoderDecoder<float>&, const Batch&, const ForwardContext<float>&);
template arma::Mat<float> decode(const EncoderDecoder<float>&, const Batch&, const Tokens<float>&,
                                 const ForwardContext<float>&);
template arma::Mat<float> generate(const EncoderDecoder<float>&, const Tokens<float>&,
                                   const ForwardContext<float>&);
template arma::Mat<float> forward(const EncoderDecoder<float>&, const Batch&, const Batch&,
                                  const ForwardContext<float>&);
template arma::Mat<float> logits(const EncoderDecoder<float>&, const Batch&, const Batch&,
                                 const ForwardContext<float>&, ModelSaved<float>&);
template void backward(const Trainable<EncoderDecoder<float>>&, const ModelSaved<float>&, const Batch&,
                       const Batch&, const arma::Mat<float>&, const ForwardContext<float>&);
template struct EncoderDecoder<double>;
template void apply(const ResidualStream<double>&, const Encoder<double>&, const LayerStyle&,
                    const ForwardContext<double>&, StackSaved<EncoderLayerSaved<double>, double>*);
template void apply(const ResidualStream<double>&, const Decoder<double>&, const Tokens<double>&,
                    const LayerStyle&, const ForwardContext<double>&,
                    StackSaved<DecoderLayerSaved<double>, double>*);
template arma::Mat<double> encode(const EncoderDecoder<double>&, const Batch&, const ForwardContext<double>&);
template arma::Mat<double> decode(const EncoderDecoder<double>&, const Batch&, const Tokens<double>&,
                                  const ForwardContext<double>&);
template arma::Mat<double> generate(const EncoderDecoder<double>&, const Tokens<double>&,
                                    const ForwardContext<double>&);
template arma::Mat<double> forward(const EncoderDecoder<double>&, const Batch&, const Batch&,
                                   const ForwardContext<double>&);
template arma::Mat<double> logits(const EncoderDecoder<double>&, const Batch&, const Batch&,
                                  const ForwardContext<double>&, ModelSaved<double>&);
template void backward(const Trainable<EncoderDecoder<double>>&, const ModelSaved<double>&, const Batch&,
                       const Batch&, const arma::Mat<double>&, const ForwardContext<double>&);

} // namespace tfx
