#include "model/transformer.hpp"

#include "core/error.hpp"
#include "core/memory.hpp"
#include "core/parallel.hpp"
#include "kernels/gemm.hpp"
#include "kernels/softmax.hpp"
#include "layers/embedding.hpp"
#include "model/counts.hpp"

#include <cmath>

namespace tfx {

namespace {

/// The shape, once it is known to be sound and, with numbers, to fit in memory.
template <class Real>
const ModelSpec& checked(const ModelSpec& spec) {
  require_valid(spec);
  if constexpr (!std::is_same_v<Real, ShapesOnly>)
    require_memory(static_cast<double>(count_parameters(Transformer<ShapesOnly>(spec))) * sizeof(Real),
                   said("the model"));
  return spec;
}

} // namespace

template <class Real>
Transformer<Real>::Transformer(const ModelSpec& shape) : spec(checked<Real>(shape)) {
  if (spec.has_encoder()) {
    encoder = Stack<Real>(spec, CrossAttention::no);
    src_embed = InputLayer<Real>(spec, spec.src_vocab);
  }
  if (spec.has_decoder()) {
    decoder = Stack<Real>(spec, spec.has_encoder() ? CrossAttention::yes : CrossAttention::no);
    tgt_embed = InputLayer<Real>(spec, spec.tgt_vocab);
    if (!spec.tied)
      generator = Linear<Real>(spec.d_model, spec.tgt_vocab,
                               spec.biases.generator ? LinearBias::yes : LinearBias::no);
  }
}

namespace {

template <class Real>
Real embedding_scale(const ModelSpec& spec) {
  return spec.scaled_embedding ? std::sqrt(static_cast<Real>(spec.d_model)) : Real{1};
}

} // namespace

template <class Real>
arma::Mat<Real> embed_tokens(const InputLayer<Real>& layer, const ModelSpec& spec, const Batch& batch,
                             const Places& places, arma::Mat<Real>* before) {
  if (places.end > spec.max_len)
    throw Error(ErrorKind::bad_data,
                said("a sequence has {count} tokens, the model takes {most}",
                     {{"count", places.end}, {"most", spec.max_len}}),
                said("shorten the sequence"));
  arma::Mat<Real> x = forward(layer, batch.ids, embedding_scale<Real>(spec));
  if (spec.positions == Positions::sinusoidal) add_sinusoidal_positions(x, batch.sequences, places);
  if (spec.positions == Positions::learned) add_positions(x, batch.sequences, places, layer.positions);
  if (!spec.embedding_norm) return x;
  arma::Mat<Real> normed = forward(layer.norm, x, spec.norm.kernel_rule());
  if (before) *before = std::move(x);
  return normed;
}

template <class Real>
arma::Mat<Real> logits_of(const Transformer<Real>& model, const arma::Mat<Real>& output) {
  if (!model.spec.tied) return forward(model.generator, output);
  arma::Mat<Real> logits = unset<Real>(model.spec.tgt_vocab, output.n_cols);
  gemm(view(logits), transposed(view(model.tgt_embed.lut)), plain(view(output)));
  return logits;
}

namespace {

enum class Side { encoder, decoder };

/// What differs between the two sides.
struct SideFacts {
  std::string layers, norm, embedding; ///< names of their parameters
  std::string output;                  ///< name of its activation
  Mask mask;                           ///< of the self-attention
};

const SideFacts& facts_of(Side side) {
  static const SideFacts encoder{"encoder.layers.", "encoder.norm", "src_embed", "memory", Mask::none},
      decoder{"decoder.layers.", "decoder.norm", "tgt_embed", "decoder.output", Mask::causal};
  return side == Side::encoder ? encoder : decoder;
}

template <class Model>
auto& stack_of(Model& model, Side side) {
  return side == Side::encoder ? model.encoder : model.decoder;
}
template <class Model>
auto& input_of(Model& model, Side side) {
  return side == Side::encoder ? model.src_embed : model.tgt_embed;
}

/// From the ids to the stack's output.
template <class Real>
arma::Mat<Real> run(const Transformer<Real>& model, Side side, const Batch& batch, Memory<Real> memory,
                    const ForwardContext<Real>& context, StackSaved<Real>* saved = nullptr) {
  const ModelSpec& spec = model.spec;
  const SideFacts& facts = facts_of(side);
  const Stack<Real>& stack = stack_of(model, side);
  const Places places(batch.sequences);
  const ForwardContext<Real> embedding = context.inside(facts.embedding);
  arma::Mat<Real> x =
      embed_tokens(input_of(model, side), spec, batch, places, saved ? &saved->embedded : nullptr);
  drop(embedding, x);
  embedding.mark(Pass::forward);
  report(context, facts.embedding, x, batch.sequences);

  const std::optional<RotaryTable<Real>> rotary = rotary_table<Real>(spec, places);
  const BlockInputs<Real> inputs{spec, facts.mask, memory, rotary ? &*rotary : nullptr};
  if (saved) saved->layers.resize(stack.layers.size());
  for (std::size_t i = 0; i < stack.layers.size(); ++i) {
    const ForwardContext<Real> inside = context.inside(facts.layers + std::to_string(i));
    apply<Real>({x, batch.sequences}, stack.layers[i], inputs, inside, saved ? &saved->layers[i] : nullptr);
    inside.mark(Pass::forward);
  }
  if (spec.final_norm) {
    if (saved) saved->norm_input = x;
    x = forward(stack.norm, x, spec.norm.kernel_rule());
    context.inside(facts.norm).mark(Pass::forward);
  }
  report(context, facts.output, x, batch.sequences);
  return x;
}

/// Backward of `run`: d, the gradient of the output, goes through the stack to the embedding.
template <class Real>
void run_backward(arma::Mat<Real> d, const Trainable<Transformer<Real>>& model, Side side, const Batch& batch,
                  const StackSaved<Real>& saved, Memory<Real> memory, arma::Mat<Real>* d_memory,
                  const ForwardContext<Real>& context) {
  const auto& [parameters, gradient] = model;
  const ModelSpec& spec = parameters.spec;
  const SideFacts& facts = facts_of(side);
  const Stack<Real>& stack = stack_of(parameters, side);
  Stack<Real>& d_stack = stack_of(gradient, side);
  const std::optional<RotaryTable<Real>> rotary = rotary_table<Real>(spec, Places(batch.sequences));
  const BlockInputs<Real> inputs{spec, facts.mask, memory, rotary ? &*rotary : nullptr};
  const auto done = [&](const std::string& part) { context.inside(part).mark(Pass::backward); };

  if (spec.final_norm) {
    d = backward<Real>({stack.norm, d_stack.norm}, saved.norm_input, d, spec.norm.kernel_rule());
    done(facts.norm);
  }
  for (std::size_t i = stack.layers.size(); i-- > 0;) {
    const std::string part = facts.layers + std::to_string(i);
    apply_backward<Real>({d, batch.sequences}, {stack.layers[i], d_stack.layers[i]}, saved.layers[i], inputs,
                         d_memory, context.inside(part));
    done(part);
  }
  drop(context.inside(facts.embedding), d);
  const InputLayer<Real>& layer = input_of(parameters, side);
  InputLayer<Real>& d_layer = input_of(gradient, side);
  if (spec.embedding_norm)
    d = backward<Real>({layer.norm, d_layer.norm}, saved.embedded, d, spec.norm.kernel_rule());
  if (spec.positions == Positions::learned) positions_backward(d_layer.positions, batch.sequences, d);
  backward<Real>(Trainable<Embedding<Real>>{layer, d_layer}, batch.ids, d, embedding_scale<Real>(spec));
  done(facts.embedding);
}

} // namespace

template <class Real>
arma::Mat<Real> encode(const Transformer<Real>& model, const Batch& src,
                       const ForwardContext<Real>& context) {
  return run<Real>(model, Side::encoder, src, std::nullopt, context);
}

template <class Real>
arma::Mat<Real> decode(const Transformer<Real>& model, const Batch& tgt, Memory<Real> memory,
                       const ForwardContext<Real>& context) {
  return run<Real>(model, Side::decoder, tgt, memory, context);
}

template <class Real>
arma::Mat<Real> generate(const Transformer<Real>& model, const Tokens<Real>& output,
                         const ForwardContext<Real>& context) {
  arma::Mat<Real> log_probs = logits_of(model, output.values);
  report(context, "logits", log_probs, output.sequences);
  parallel_for(log_probs.n_cols, [&](Slice slice) {
    const MatrixView<Real> slab = view(log_probs).columns(slice.begin, slice.size());
    log_softmax(slab, slab);
  });
  report(context, "log_probs", log_probs, output.sequences);
  return log_probs;
}

namespace {

/// What the decoder attends to, if there is a source.
template <class Real>
std::optional<Tokens<Real>> memory_of(const Inputs& inputs, const arma::Mat<Real>& memory) {
  return inputs.src ? std::optional<Tokens<Real>>({memory, inputs.src->sequences}) : std::nullopt;
}

/// Whether there is what the model reads, and nothing else.
[[maybe_unused]] bool fit(const ModelSpec& spec, const Inputs& inputs) {
  return spec.has_encoder() == (inputs.src != nullptr) && spec.has_decoder() == (inputs.tgt != nullptr);
}

} // namespace

template <class Real>
arma::Mat<Real> forward(const Transformer<Real>& model, const Inputs& inputs,
                        const ForwardContext<Real>& context) {
  assert(fit(model.spec, inputs));
  arma::Mat<Real> memory;
  if (inputs.src) memory = encode(model, *inputs.src, context);
  if (!inputs.tgt) return memory;
  const std::optional<Tokens<Real>> seen = memory_of(inputs, memory);
  const arma::Mat<Real> output = decode(model, *inputs.tgt, seen, context);
  return generate(model, Tokens<Real>{output, inputs.tgt->sequences}, context);
}

template <class Real>
arma::Mat<Real> logits(const Transformer<Real>& model, const Inputs& inputs,
                       const ForwardContext<Real>& context, ModelSaved<Real>& saved) {
  assert(fit(model.spec, inputs));
  arma::Mat<Real>& memory = saved.encoder.output;
  if (inputs.src)
    memory = run<Real>(model, Side::encoder, *inputs.src, std::nullopt, context, &saved.encoder);
  if (!inputs.tgt) return memory;
  const std::optional<Tokens<Real>> seen = memory_of(inputs, memory);
  saved.decoder.output = run<Real>(model, Side::decoder, *inputs.tgt, seen, context, &saved.decoder);
  arma::Mat<Real> logits = logits_of(model, saved.decoder.output);
  context.inside("generator").mark(Pass::forward);
  return logits;
}

template <class Real>
void backward(const Trainable<Transformer<Real>>& model, const ModelSaved<Real>& saved, const Inputs& inputs,
              const arma::Mat<Real>& d_logits, const ForwardContext<Real>& context) {
  if (!inputs.tgt)
    return run_backward<Real>(d_logits, model, Side::encoder, *inputs.src, saved.encoder, std::nullopt,
                              nullptr, context);
  const auto& [parameters, gradient] = model;
  const arma::Mat<Real>& output = saved.decoder.output;
  arma::Mat<Real> d;
  if (parameters.spec.tied) {
    gemm(view(gradient.tgt_embed.lut), plain(view(output)), transposed(view(d_logits)), 1, 1);
    d = unset<Real>(output.n_rows, output.n_cols);
    gemm(view(d), plain(view(parameters.tgt_embed.lut)), plain(view(d_logits)));
  } else {
    d = backward<Real>({parameters.generator, gradient.generator}, output, d_logits);
  }
  context.inside("generator").mark(Pass::backward);
  const std::optional<Tokens<Real>> seen = memory_of(inputs, saved.encoder.output);
  arma::Mat<Real> d_memory(arma::size(saved.encoder.output), arma::fill::zeros);
  run_backward<Real>(std::move(d), model, Side::decoder, *inputs.tgt, saved.decoder, seen, &d_memory,
                     context);
  if (inputs.src)
    run_backward<Real>(std::move(d_memory), model, Side::encoder, *inputs.src, saved.encoder, std::nullopt,
                       nullptr, context);
}

template struct Transformer<ShapesOnly>;
template struct Transformer<float>;
template arma::Mat<float> embed_tokens(const InputLayer<float>&, const ModelSpec&, const Batch&,
                                       const Places&, arma::Mat<float>*);
template arma::Mat<float> logits_of(const Transformer<float>&, const arma::Mat<float>&);
template arma::Mat<float> encode(const Transformer<float>&, const Batch&, const ForwardContext<float>&);
template arma::Mat<float> decode(const Transformer<float>&, const Batch&, std::optional<Tokens<float>>,
                                 const ForwardContext<float>&);
template arma::Mat<float> generate(const Transformer<float>&, const Tokens<float>&,
                                   const ForwardContext<float>&);
template arma::Mat<float> forward(const Transformer<float>&, const Inputs&, const ForwardContext<float>&);
template arma::Mat<float> logits(const Transformer<float>&, const Inputs&, const ForwardContext<float>&,
                                 ModelSaved<float>&);
template void backward(const Trainable<Transformer<float>>&, const ModelSaved<float>&, const Inputs&,
                       const arma::Mat<float>&, const ForwardContext<float>&);
template struct Transformer<double>;
template arma::Mat<double> embed_tokens(const InputLayer<double>&, const ModelSpec&, const Batch&,
                                        const Places&, arma::Mat<double>*);
template arma::Mat<double> logits_of(const Transformer<double>&, const arma::Mat<double>&);
template arma::Mat<double> encode(const Transformer<double>&, const Batch&, const ForwardContext<double>&);
template arma::Mat<double> decode(const Transformer<double>&, const Batch&, std::optional<Tokens<double>>,
                                  const ForwardContext<double>&);
template arma::Mat<double> generate(const Transformer<double>&, const Tokens<double>&,
                                    const ForwardContext<double>&);
template arma::Mat<double> forward(const Transformer<double>&, const Inputs&, const ForwardContext<double>&);
template arma::Mat<double> logits(const Transformer<double>&, const Inputs&, const ForwardContext<double>&,
                                  ModelSaved<double>&);
template void backward(const Trainable<Transformer<double>>&, const ModelSaved<double>&, const Inputs&,
                       const arma::Mat<double>&, const ForwardContext<double>&);

} // namespace tfx
