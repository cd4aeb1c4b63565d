#include "parity/model_loss.hpp"

#include "model/parameters.hpp"
#include "random/stream.hpp"

#include <cmath>

namespace tfx {

namespace {

double loss_at(const EncoderDecoder<double>& model, const TrainingBatch& batch, const Smoothing& smoothing,
               double tokens) {
  ModelSaved<double> saved;
  arma::mat x = logits(model, batch.src, batch.tgt, {}, saved);
  return loss_and_gradient(x, batch.labels, smoothing, tokens).mean();
}

/// |d·r − slope along r| / max(1, |slope|), where r draws a number in ±1 for every parameter.
template <class Real>
double error_along_a_direction(const EncoderDecoder<Real>& model, const EncoderDecoder<Real>& gradient,
                               const TrainingBatch& batch, const Smoothing& smoothing, double tokens) {
  constexpr double h = 1e-5;
  EncoderDecoder<double> above(model.config), below(model.config);
  double along = 0;
  each_parameter(
      [&](const std::string& name, auto& a, auto& b, const auto& p, const auto& d) {
        RandomStream numbers(0, stream_number(name), 0);
        for (arma::uword i = 0; i < p.n_elem; ++i) {
          const double r = 2 * numbers.uniform(i) - 1;
          a[i] = static_cast<double>(p[i]) + h * r, b[i] = static_cast<double>(p[i]) - h * r;
          along += r * static_cast<double>(d[i]);
        }
      },
      "", above, below, model, gradient);
  const double slope =
      (loss_at(above, batch, smoothing, tokens) - loss_at(below, batch, smoothing, tokens)) / (2 * h);
  return std::abs(along - slope) / std::max(1.0, std::abs(slope));
}

} // namespace

template <class Real>
void record_loss(Trace& trace, const EncoderDecoder<Real>& model, const TrainingBatch& batch,
                 const Smoothing& smoothing, WithGradient with_gradient, const Keep& keep) {
  const auto tokens = static_cast<double>(count_tokens(batch.labels, smoothing.pad));
  EncoderDecoder<Real> gradient = zeros_like(model);
  const Loss loss = add_gradient<Real>({model, gradient}, batch, smoothing, tokens);
  trace.facts["loss"] = loss.mean();
  trace.facts["loss_tokens"] = tokens;
  trace.facts["smoothing"] = smoothing.epsilon;
  if (keep("loss")) // as the model's type holds it, like every other tensor
    trace.add_input("loss", "", Tensor({}, {static_cast<double>(static_cast<Real>(loss.mean()))}), {},
                    Role::result);
  if (with_gradient == WithGradient::no) return;
  each_parameter(
      [&](const std::string& name, const auto& d) {
        if (keep("d." + name))
          trace.add_input("d." + name, "∂loss/∂" + name,
                          Tensor(torch_shape(d), std::vector<double>(d.begin(), d.end())), {}, Role::result);
      },
      "", gradient);
  trace.facts["gradients"] = static_cast<double>(parameter_shapes(model).size());
  constexpr std::size_t max_parameters = 2'000'000;
  if (count_parameters(model) <= max_parameters)
    trace.check_at_most("gradient", error_along_a_direction(model, gradient, batch, smoothing, tokens),
                        sizeof(Real) == 4 ? 1e-4 : 1e-6);
}

template void record_loss(Trace&, const EncoderDecoder<float>&, const TrainingBatch&, const Smoothing&,
                          WithGradient, const Keep&);
template void record_loss(Trace&, const EncoderDecoder<double>&, const TrainingBatch&, const Smoothing&,
                          WithGradient, const Keep&);

} // namespace tfx
