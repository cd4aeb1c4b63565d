#include "model/weights.hpp"

#include "core/memory.hpp"
#include "core/parallel.hpp"
#include "random/numpy_rng.hpp"

#include <cmath>

namespace tfx {

namespace {

/// Draws the parameters as the visitor brings them: a bias follows its weight.
class Drawer {
public:
  Drawer(WeightInit init, std::uint32_t seed) : init_(init), numbers_(seed) {}

  template <class Real>
  void operator()(const std::string&, arma::Mat<Real>& weight) {
    const double in = static_cast<double>(weight.n_rows), out = static_cast<double>(weight.n_cols);
    fan_in_ = in;
    if (init_ == WeightInit::xavier_uniform) return fill_uniform(weight, std::sqrt(6 / (in + out)));
    const double deviation = std::sqrt(2 / (init_ == WeightInit::he ? in : in + out));
    for (Real& cell : weight) cell = static_cast<Real>(numbers_.randn() * deviation);
  }

  template <class Real>
  void operator()(const std::string& name, arma::Col<Real>& vector) {
    if (name.ends_with("a_2")) {
      vector.ones();
    } else if (name.ends_with("b_2") || init_ != WeightInit::xavier_uniform) {
      vector.zeros();
    } else {
      fill_uniform(vector, 1 / std::sqrt(fan_in_));
    }
  }

private:
  template <class Real>
  void fill_uniform(arma::Mat<Real>& tensor, double bound) {
    for (Real& cell : tensor) cell = static_cast<Real>(numbers_.uniform(-bound, bound));
  }

  WeightInit init_;
  NumpyRandom numbers_;
  double fan_in_ = 1; ///< of the last weight
};

} // namespace

template <class Real>
void initialize(Transformer<Real>& model, WeightInit init, std::uint32_t seed) {
  each_parameter(Drawer(init, seed), "", model);
}

template void initialize(Transformer<float>&, WeightInit, std::uint32_t);
template void initialize(Transformer<double>&, WeightInit, std::uint32_t);

namespace {

/// The linear layers that a decoded token goes through.
template <class Model>
auto layers_of_a_token(Model& model) {
  std::vector<decltype(&model.generator)> layers;
  for (auto& layer : model.decoder.layers) {
    for (auto& linear : layer.self_attn.linears) layers.push_back(&linear);
    if (layer.src_attn)
      layers.insert(layers.end(), {&layer.src_attn->linears[0], &layer.src_attn->linears[3]});
    if (layer.feed_forward)
      for (auto* linear : {&layer.feed_forward->w_1, &layer.feed_forward->w_2, &layer.feed_forward->w_3})
        if (!linear->weight.is_empty()) layers.push_back(linear);
  }
  if (!model.spec.tied) layers.push_back(&model.generator);
  return layers;
}

} // namespace

Transformer<float> in_float(const Transformer<double>& model) {
  Transformer<float> floats(model.spec);
  each_parameter(
      [](const std::string&, auto& to, const auto& from) {
        to = arma::conv_to<std::remove_reference_t<decltype(to)>>::from(from);
      },
      "", floats, model);
  return floats;
}

void narrow(Transformer<float>& model, WeightType type) {
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

std::uint64_t weight_bytes_of_a_token(const Transformer<float>& model) {
  std::uint64_t bytes = model.spec.tied ? model.tgt_embed.lut.n_elem * sizeof(float) : 0;
  for (const Linear<float>* layer : layers_of_a_token(model))
    bytes += layer->narrow ? layer->narrow->bytes() : layer->weight.n_elem * sizeof(float);
  return bytes;
}

} // namespace tfx
