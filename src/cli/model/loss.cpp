#include "cli/model/loss.hpp"

#include "cli/options.hpp"
#include "parity/model_run.hpp"

namespace tfx {

const std::vector<Option<LossOptions>>& loss_options() {
  using O = LossOptions;
  using Row = Option<O>;
  static const std::vector<Row> table{
      Row("--labels", &O::labels, value::ids()).described("model--labels"),
      Row("--smoothing", &O::smoothing, value::share("S"), 0).beside({"--labels", "--text"}),
      Row("--grad", &O::grad).described("model--grad").beside({"--labels", "--text"})};
  return table;
}

TokenIds labels_of(const LossOptions& options, const ModelBatches& batches, const TokenIds& expected,
                   std::size_t vocabulary) {
  if (!options.labels) {
    if (expected.empty() && (options.grad || options.smoothing))
      throw usage_error("no_labels", {{"name", options.grad ? "--grad" : "--smoothing"}});
    return expected;
  }
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
  if (!fits || count_tokens(labels, batches.pad) == 0) throw usage_error("labels", {});
  require_known("--labels", labels, vocabulary);
  return labels;
}

template <class Real>
void add_loss(Trace& trace, const EncoderDecoder<Real>& model, const TrainingBatch& batch,
              const LossOptions& options, std::uint32_t pad, const Keep& keep) {
  if (batch.labels.empty()) return;
  record_loss(trace, model, batch, {options.smoothing.value_or(0), pad},
              options.grad ? WithGradient::yes : WithGradient::no, keep);
}

template void add_loss(Trace&, const EncoderDecoder<float>&, const TrainingBatch&, const LossOptions&,
                       std::uint32_t, const Keep&);
template void add_loss(Trace&, const EncoderDecoder<double>&, const TrainingBatch&, const LossOptions&,
                       std::uint32_t, const Keep&);

} // namespace tfx
