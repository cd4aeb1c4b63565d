#include "model/weights.hpp"

#include "core/memory.hpp"
#include "core/parallel.hpp"
#include "random/numpy_rng.hpp"
#include "random/python_random.hpp"

#include <cmath>
#include <string_view>

namespace tfx {

namespace {

/// Draws the parameters as the visitor brings them: a bias follows its weight.
class Drawer {
public:
  Drawer(WeightInit init, std::uint32_t seed, std::size_t layers)
      : init_(init), numbers_(seed), layers_(static_cast<double>(layers)) {}

  template <class Real>
  void operator()(const std::string& name, arma::Mat<Real>& weight) {
    const double in = static_cast<double>(weight.n_rows), out = static_cast<double>(weight.n_cols);
    fan_in_ = in;
    if (init_ == WeightInit::xavier_uniform) return fill_uniform(weight, std::sqrt(6 / (in + out)));
    const double deviation = init_ == WeightInit::gpt2 ? gpt2_deviation(name)
                             : init_ == WeightInit::he ? std::sqrt(2 / in)
                                                       : std::sqrt(2 / (in + out));
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
  /// Radford et al. 2019, section 2.3: the residual stream sums up two writers a layer.
  double gpt2_deviation(std::string_view name) const {
    constexpr double usual = 0.02;
    const bool writes = name.ends_with("self_attn.linears.3.weight") || name.ends_with("w_2.weight");
    return writes ? usual / std::sqrt(2 * layers_) : usual;
  }

  template <class Real>
  void fill_uniform(arma::Mat<Real>& tensor, double bound) {
    for (Real& cell : tensor) cell = static_cast<Real>(numbers_.uniform(-bound, bound));
  }

  WeightInit init_;
  NumpyRandom numbers_;
  double layers_;
  double fan_in_ = 1; ///< of the last weight
};

template <class Real>
void draw_as_microgpt(Transformer<Real>& model, PythonRandom random) {
  constexpr double deviation = 0.08;
  const auto fill = [&](arma::Mat<Real>& weight) {
    for (Real& cell : weight) cell = static_cast<Real>(random.gauss(0, deviation));
  };
  fill(model.tgt_embed.lut), fill(model.tgt_embed.positions.table), fill(model.generator.weight);
  for (Block<Real>& block : model.decoder.layers) {
    for (Linear<Real>& linear : block.self_attn.linears) fill(linear.weight);
    if (block.feed_forward) fill(block.feed_forward->w_1.weight), fill(block.feed_forward->w_2.weight);
  }
}

} // namespace

template <class Real>
void initialize(Transformer<Real>& model, WeightInit init, std::uint32_t seed, std::size_t shuffled) {
  if (init != WeightInit::microgpt) return each_parameter(Drawer(init, seed, model.spec.layers), "", model);
  PythonRandom random(seed);
  std::vector<std::size_t> documents(shuffled);
  random.shuffle(documents); // their number decides how many draws it takes
  draw_as_microgpt(model, random);
}

template void initialize(Transformer<float>&, WeightInit, std::uint32_t, std::size_t);
template void initialize(Transformer<double>&, WeightInit, std::uint32_t, std::size_t);

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

namespace {

template <class To, class From>
Transformer<To> in_precision(const Transformer<From>& model) {
  Transformer<To> made(model.spec);
  each_parameter(
      [](const std::string&, auto& to, const auto& from) {
        to = arma::conv_to<std::remove_reference_t<decltype(to)>>::from(from);
      },
      "", made, model);
  return made;
}

} // namespace

Transformer<float> in_float(const Transformer<double>& model) {
  return in_precision<float>(model);
}

Transformer<double> in_double(const Transformer<float>& model) {
  return in_precision<double>(model);
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
