#include "cli/model/loss.hpp"

#include "cli/add_option.hpp"
#include "cli/options.hpp"
#include "core/number.hpp"
#include "model/parameters.hpp"
#include "random/stream.hpp"
#include "train/loss.hpp"

#include <cmath>

namespace tfx {

namespace {

/// The labels in the shape of the target, filled up with padding.
TokenIds labels_of(const LossOptions& options, const ModelBatches& batches, std::size_t vocabulary) {
  const std::vector<TokenIds> rows = parse_ids("--labels", *options.labels);
  const Sequences& tgt = batches.tgt.sequences;
  TokenIds labels;
  bool fits = rows.size() == tgt.count();
  for (std::size_t s = 0; fits && s < rows.size(); ++s) {
    fits = rows[s].size() <= tgt.length(s);
    labels.insert(labels.end(), rows[s].begin(), rows[s].end());
    labels.resize(tgt.offsets[s + 1], batches.pad);
    // A label for every token that is none of padding's.
    for (std::size_t j = tgt.offsets[s] + rows[s].size(); fits && j < tgt.offsets[s + 1]; ++j)
      fits = batches.tgt.ids[j] == batches.pad;
  }
  if (!fits) throw usage_error("labels", {});
  require_known("--labels", labels, vocabulary);
  return labels;
}

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

void add_loss_options(CLI::App& command, LossOptions& options) {
  add_text(command, "--labels", options.labels, "IDS[;IDS]").description(in_words("model--labels"));
  add_text(command, "--smoothing", options.smoothing, "S");
  add_flag(command, "--grad", options.grad).description(in_words("model--grad"));
}

template <class Real>
void add_loss(Trace& trace, const EncoderDecoder<Real>& model, const ModelBatches& batches,
              const LossOptions& options, const Keep& keep) {
  if (!options.labels) {
    if (options.smoothing || options.grad)
      throw usage_error("needs", {{"name", options.grad ? "--grad" : "--smoothing"}, {"others", "--labels"}});
    return;
  }
  const Smoothing smoothing{options.smoothing ? parse_share("--smoothing", *options.smoothing) : 0,
                            batches.pad};
  const TrainingBatch batch{batches.src, batches.tgt, labels_of(options, batches, model.config.tgt_vocab)};
  const std::size_t tokens = count_tokens(batch.labels, batches.pad);
  if (tokens == 0) throw usage_error("labels", {});
  const auto divisor = static_cast<double>(tokens);

  EncoderDecoder<Real> gradient = zeros_like(model);
  const Loss loss = add_gradient<Real>({model, gradient}, batch, smoothing, divisor);
  trace.facts["loss"] = loss.mean();
  trace.facts["loss_tokens"] = static_cast<double>(tokens);
  trace.facts["smoothing"] = smoothing.epsilon;
  if (keep("loss")) // as the model's type holds it, like every other tensor
    trace.add_input("loss", "", Tensor({}, {static_cast<double>(static_cast<Real>(loss.mean()))}), {},
                    Role::result);
  if (!options.grad) return;
  each_parameter(
      [&](const std::string& name, const auto& d) {
        if (keep("d." + name))
          trace.add_input("d." + name, "", Tensor(torch_shape(d), std::vector<double>(d.begin(), d.end())),
                          {}, Role::result);
      },
      "", gradient);
  trace.facts["gradients"] = static_cast<double>(parameter_shapes(model).size());
  constexpr std::size_t max_parameters = 2'000'000;
  if (count_parameters(model) <= max_parameters)
    trace.check_at_most("gradient", error_along_a_direction(model, gradient, batch, smoothing, divisor),
                        sizeof(Real) == 4 ? 1e-4 : 1e-6);
}

template void add_loss(Trace&, const EncoderDecoder<float>&, const ModelBatches&, const LossOptions&,
                       const Keep&);
template void add_loss(Trace&, const EncoderDecoder<double>&, const ModelBatches&, const LossOptions&,
                       const Keep&);

} // namespace tfx
