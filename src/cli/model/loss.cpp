#include "cli/model/loss.hpp"

#include "cli/options.hpp"
#include "parity/model_loss.hpp"

namespace tfx {

namespace {

/// The labels in the shape of the target, filled up with padding.
TokenIds labels_of(const LossOptions& options, const ModelBatches& batches, std::size_t vocabulary) {
  const std::vector<TokenIds>& rows = *options.labels;
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

} // namespace

const std::vector<Option<LossOptions>>& loss_options() {
  using O = LossOptions;
  using Row = Option<O>;
  static const std::vector<Row> table{
      Row("--labels", &O::labels, value::ids()).described("model--labels"),
      Row("--smoothing", &O::smoothing, value::share("S")).beside({"--labels"}),
      Row("--grad", &O::grad).described("model--grad").beside({"--labels"})};
  return table;
}

template <class Real>
void add_loss(Trace& trace, const EncoderDecoder<Real>& model, const ModelBatches& batches,
              const LossOptions& options, const Keep& keep) {
  if (!options.labels) return;
  const Smoothing smoothing{options.smoothing.value_or(0), batches.pad};
  const TrainingBatch batch{batches.src, batches.tgt, labels_of(options, batches, model.config.tgt_vocab)};
  if (count_tokens(batch.labels, batches.pad) == 0) throw usage_error("labels", {});
  record_loss(trace, model, batch, smoothing, options.grad ? WithGradient::yes : WithGradient::no, keep);
}

template void add_loss(Trace&, const EncoderDecoder<float>&, const ModelBatches&, const LossOptions&,
                       const Keep&);
template void add_loss(Trace&, const EncoderDecoder<double>&, const ModelBatches&, const LossOptions&,
                       const Keep&);

} // namespace tfx
