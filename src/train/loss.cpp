#include "train/loss.hpp"

#include "core/error.hpp"
#include "core/parallel.hpp"

#include <algorithm>
#include <numeric>

namespace tfx {

namespace {

void require_fit(const TokenIds& labels, std::size_t columns, std::size_t vocab, const Smoothing& smoothing) {
  if (labels.size() != columns)
    throw Error(ErrorKind::bad_data,
                said("{labels} labels for {tokens} tokens", {{"labels", labels.size()}, {"tokens", columns}}),
                said("every token of the target needs a label: the token that comes next"));
  for (std::size_t j = 0; j < labels.size(); ++j)
    if (labels[j] >= vocab && labels[j] != smoothing.pad)
      throw Error(ErrorKind::bad_data,
                  said("label {index} is the id {id}, the vocabulary has {count}",
                       {{"index", j}, {"id", labels[j]}, {"count", vocab}}),
                  said("ids count from 0"));
  if (!(smoothing.epsilon >= 0 && smoothing.epsilon < 1))
    throw usage(
        said("a smoothing of {value} is not in [0, 1)", {{"value", std::to_string(smoothing.epsilon)}}),
        said("0.1 is usual; 0 smooths nothing"));
  if (smoothing.epsilon > 0 && vocab < 3)
    throw Error(ErrorKind::bad_data,
                said("a vocabulary of {count} has no token to give the smoothing to", {{"count", vocab}}),
                said("smoothing goes to tokens that are neither the label nor padding"));
}

} // namespace

std::size_t count_tokens(const TokenIds& labels, std::uint32_t pad) {
  return labels.size() - static_cast<std::size_t>(std::count(labels.begin(), labels.end(), pad));
}

template <class Real>
Loss loss_and_gradient(arma::Mat<Real>& logits, const TokenIds& labels, const Smoothing& smoothing,
                       double divisor) {
  require_fit(labels, logits.n_cols, logits.n_rows, smoothing);
  std::vector<double> losses(labels.size());
  parallel_for(labels.size(), [&](Slice slice) {
    cross_entropy(losses.data() + slice.begin, view(logits).columns(slice.begin, slice.size()),
                  labels.data() + slice.begin, smoothing, 1 / divisor);
  });
  return {std::accumulate(losses.begin(), losses.end(), 0.0), count_tokens(labels, smoothing.pad)};
}

template <class Real>
Loss add_gradient(const Trainable<EncoderDecoder<Real>>& model, const TrainingBatch& batch,
                  const Smoothing& smoothing, double divisor, const ForwardContext<Real>& context) {
  ModelSaved<Real> saved;
  arma::Mat<Real> d_logits = logits(model.layer, batch.src, batch.tgt, context, saved);
  const Loss loss = loss_and_gradient(d_logits, batch.labels, smoothing, divisor);
  context.inside("loss").mark(Pass::forward);
  backward(model, saved, batch.src, batch.tgt, d_logits, context);
  return loss;
}

template <class Real>
EncoderDecoder<Real> zeros_like(const EncoderDecoder<Real>& model) {
  EncoderDecoder<Real> zeros(model.config);
  each_parameter([](const std::string&, auto& tensor) { tensor.zeros(); }, "", zeros);
  return zeros;
}

template Loss loss_and_gradient(arma::Mat<float>&, const TokenIds&, const Smoothing&, double);
template Loss loss_and_gradient(arma::Mat<double>&, const TokenIds&, const Smoothing&, double);
template Loss add_gradient(const Trainable<EncoderDecoder<float>>&, const TrainingBatch&, const Smoothing&,
                           double, const ForwardContext<float>&);
template Loss add_gradient(const Trainable<EncoderDecoder<double>>&, const TrainingBatch&, const Smoothing&,
                           double, const ForwardContext<double>&);
template EncoderDecoder<float> zeros_like(const EncoderDecoder<float>&);
template EncoderDecoder<double> zeros_like(const EncoderDecoder<double>&);

} // namespace tfx
