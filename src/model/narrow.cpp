#include "model/narrow.hpp"

#include "core/memory.hpp"
#include "core/parallel.hpp"

namespace tfx {

namespace {

/// The linear layers that a decoded token goes through.
template <class Model>
auto layers_of_a_token(Model& model) {
  std::vector<decltype(&model.generator)> layers;
  for (auto& layer : model.decoder.layers) {
    for (auto& linear : layer.self_attn.linears) layers.push_back(&linear);
    layers.insert(layers.end(), {&layer.src_attn.linears[0], &layer.src_attn.linears[3],
                                 &layer.feed_forward.w_1, &layer.feed_forward.w_2});
  }
  layers.push_back(&model.generator);
  return layers;
}

} // namespace

EncoderDecoder<float> in_float(const EncoderDecoder<double>& model) {
  EncoderDecoder<float> floats(model.config);
  each_parameter(
      [](const std::string&, auto& to, const auto& from) {
        to = arma::conv_to<std::remove_reference_t<decltype(to)>>::from(from);
      },
      "", floats, model);
  return floats;
}

void narrow(EncoderDecoder<float>& model, WeightType type) {
  if (type == WeightType::f32) return;
  const std::vector<Linear<float>*> layers = layers_of_a_token(model);
  double cells = 0;
  for (const Linear<float>* layer : layers) cells += static_cast<double>(layer->weight.n_elem);
  require_memory(cells * (type == WeightType::bf16 ? 2 : 1), said("the weights in fewer bits"));
  parallel_for(layers.size(), [&](Slice slice) {
    for (std::size_t i = slice.begin; i < slice.end; ++i) {
      auto& [weight, bias, narrow] = *layers[i];
      const auto rows = std::make_shared<const NarrowMatrix>(view(std::as_const(weight)), type);
      for (std::size_t row = 0; row < rows->rows(); ++row)
        for (std::size_t k = 0; k < rows->depth(); ++k) weight(k, row) = (*rows)(row, k);
      narrow = rows;
    }
  });
}

std::uint64_t weight_bytes_of_a_token(const EncoderDecoder<float>& model) {
  std::uint64_t bytes = 0;
  for (const Linear<float>* layer : layers_of_a_token(model))
    bytes += layer->narrow ? layer->narrow->bytes() : layer->weight.n_elem * sizeof(float);
  return bytes;
}

} // namespace tfx
