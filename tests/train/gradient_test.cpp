// Every parameter's gradient through the whole model: central differences, and PyTorch's autograd.

#include "core/error.hpp"
#include "support/catch.hpp"
#include "support/engine.hpp"
#include "support/model_fixture.hpp"
#include "support/small_model.hpp"
#include "train/loss.hpp"

using namespace tfx;

namespace {

/// A training batch of rows of random lengths; labels are random, some of them padding where asked.
TrainingBatch random_batch(RandomInput& random, const Config& config, bool pad_labels) {
  std::vector<std::size_t> of_src, of_tgt;
  for (std::size_t s = random.size(1, 3); s > 0; --s)
    of_src.push_back(random.size(1, 6)), of_tgt.push_back(random.size(1, 5));
  TrainingBatch batch;
  const auto src = random_rows(random, of_src, config.src_vocab),
             tgt = random_rows(random, of_tgt, config.tgt_vocab);
  const bool padded = random.coin();
  batch.src = padded ? padded_batch(src, 0) : ragged_batch(src);
  batch.tgt = padded ? padded_batch(tgt, 0) : ragged_batch(tgt);
  batch.labels.resize(batch.tgt.ids.size());
  for (auto& label : batch.labels)
    label = static_cast<std::uint32_t>(random.size(1, config.tgt_vocab - 1));
  if (pad_labels && batch.labels.size() > 1) batch.labels.back() = 0;
  return batch;
}

Config random_config(RandomInput& random) {
  Config config = small_config();
  config.layers = random.size(1, 2), config.d_model = 6, config.d_ff = random.size(1, 7);
  config.src_vocab = random.size(3, 6), config.tgt_vocab = random.size(3, 6);
  config.style.heads = random.size(1, 3);
  config.style.norm.rule = random.coin() ? NormRule::annotated : NormRule::standard;
  config.style.norm.placement = random.coin() ? NormPlacement::first : NormPlacement::last;
  constexpr Activation activations[] = {Activation::relu, Activation::gelu, Activation::gelu_tanh};
  config.style.activation = activations[random.size(0, 2)];
  return config;
}

double loss_of(const EncoderDecoder<double>& model, const TrainingBatch& batch, const Smoothing& smoothing,
               const Pass<double>& pass) {
  ModelSaved<double> saved;
  arma::mat x = logits(model, batch.src, batch.tgt, pass, saved);
  return loss_and_gradient(x, batch.labels, smoothing, 1).sum;
}

} // namespace

TEST_CASE("every gradient of the model is the slope of its loss", "[train][gradient]") {
  for (std::uint32_t seed = 0; seed < 12; ++seed) {
    RandomInput random(seed);
    const Config config = random_config(random);
    EncoderDecoder<double> model = small_model<double>(seed, config), gradient = zeros_like(model);
    const TrainingBatch batch = random_batch(random, config, random.coin());
    const Smoothing smoothing{seed % 2 ? 0.1 : 0.0, 0};
    const Training training{seed, 7, 0.3};
    const Pass<double> pass{nullptr, seed % 3 ? &training : nullptr};
    add_gradient<double>({model, gradient}, batch, smoothing, 1, pass);
    double worst = 0;
    std::string where;
    each_parameter(
        [&](const std::string& name, auto& tensor, const auto& d) {
          for (arma::uword i = 0; i < tensor.n_elem; ++i) {
            const double x = tensor[i], h = 1e-5 * std::max(1.0, std::abs(x));
            tensor[i] = x + h;
            const double above = loss_of(model, batch, smoothing, pass);
            tensor[i] = x - h;
            const double below = loss_of(model, batch, smoothing, pass);
            tensor[i] = x;
            const double slope = (above - below) / (2 * h);
            const double difference = std::abs(d[i] - slope) / std::max(1.0, std::abs(slope));
            if (!(difference <= worst)) worst = difference, where = name + " cell " + std::to_string(i);
          }
        },
        "", model, gradient);
    INFO("seed " << seed << ": " << where);
    CHECK(worst <= 1e-6);
  }
}
