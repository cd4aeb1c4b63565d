#include "layers/multi_head_attention.hpp"

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "kernels/attention.hpp"
#include "kernels/elementwise.hpp"
#include "random/stream.hpp"

#include <algorithm>

namespace tfx {

void require_heads(std::size_t heads, std::size_t width) {
  if (heads == 0 || width % heads != 0)
    throw Error(ErrorKind::bad_data,
                said("{heads} heads do not divide a width of {width}", {{"heads", heads}, {"width", width}}),
                said("the width of a head is d_model / heads, a whole number"));
}

namespace {

void require_fit(const Sequences& queries, const Sequences& keys, std::size_t width, std::size_t heads) {
  require_heads(heads, width);
  if (queries.count() != keys.count())
    throw Error(
        ErrorKind::bad_data,
        said("{queries} sequences attend to {keys}", {{"queries", queries.count()}, {"keys", keys.count()}}),
        said("source and target need equally many sequences"));
}

/// The heads of all sequences, one job each.
template <class Real>
struct Jobs {
  const arma::Mat<Real>&Q, &K, &V;
  const Sequences &queries, &keys;
  AttentionConfig config;
  const ForwardContext<Real>& context;

  std::size_t count() const { return queries.count() * config.heads; }
  std::size_t d_k() const { return Q.n_rows / config.heads; }
  Pairs<Real> pairs() const { return {queries, keys, config.heads}; }

  /// Head h of sequence s: its rows and columns of a matrix like Q, or like K and V.
  template <class T>
  auto of_queries(T& matrix, std::size_t s, std::size_t h) const {
    return view(matrix).block(h * d_k(), d_k(), queries.offsets[s], queries.length(s));
  }
  template <class T>
  auto of_keys(T& matrix, std::size_t s, std::size_t h) const {
    return view(matrix).block(h * d_k(), d_k(), keys.offsets[s], keys.length(s));
  }
  HeadInputs<Real> inputs(std::size_t s, std::size_t h) const {
    return {of_queries(Q, s, h), of_keys(K, s, h), of_keys(V, s, h),
            AttentionMask{keys.valid_of(s), config.mask}};
  }
  WeightDropout dropout(std::size_t s, std::size_t h) const;

  /// body(s, h) for the jobs of a slice.
  template <class Body>
  void each(Slice slice, Body body) const {
    for (std::size_t job = slice.begin; job < slice.end; ++job) body(job / config.heads, job % config.heads);
  }
};

template <class Real>
WeightDropout Jobs<Real>::dropout(std::size_t s, std::size_t h) const {
  if (!context.training || context.training->dropout == 0) return {};
  const RandomStream stream(context.training->seed, stream_number(context.name), context.training->step);
  return {context.training->dropout, [stream](auto... range) { stream.draw(range...); },
          pairs().offset(s, h)};
}

/// Where the scores and weights of all pairs are kept; empty where nobody wants them.
template <class Real>
struct Record {
  arma::Col<Real> scores, weights;

  AttentionRecord<Real> of(const Jobs<Real>& jobs, std::size_t s, std::size_t h) {
    const auto place = [&](arma::Col<Real>& cells) {
      if (cells.is_empty()) return MatrixView<Real>();
      return MatrixView<Real>(cells.memptr() + jobs.pairs().offset(s, h), jobs.keys.length(s),
                              jobs.queries.length(s));
    };
    return {place(scores), place(weights)};
  }
};

} // namespace

template <class Real>
arma::Mat<Real> forward(const MultiHeadAttention<Real>& layer, const AttentionInputs<Real>& inputs,
                        const ForwardContext<Real>& context, AttentionSaved<Real>* saved) {
  const auto& [queries, keys, config] = inputs;
  require_fit(queries.sequences, keys.sequences, layer.linears[0].weight.n_cols, config.heads);
  arma::Mat<Real> Q = forward(layer.linears[0], queries.values);
  arma::Mat<Real> K = forward(layer.linears[1], keys.values);
  arma::Mat<Real> V = forward(layer.linears[2], keys.values);
  report_heads(context, "Q", Q, queries.sequences, config.heads);
  report_heads(context, "K", K, keys.sequences, config.heads);
  report_heads(context, "V", V, keys.sequences, config.heads);

  const Jobs<Real> jobs{Q, K, V, queries.sequences, keys.sequences, config, context};
  Record<Real> record{arma::Col<Real>(context.wants("scores") ? jobs.pairs().size() : 0, arma::fill::none),
                      arma::Col<Real>(context.wants("weights") ? jobs.pairs().size() : 0, arma::fill::none)};
  arma::Mat<Real> concat = unset<Real>(Q.n_rows, Q.n_cols);
  const bool watched = !record.scores.is_empty() || !record.weights.is_empty();
  parallel_for(jobs.count(), [&](Slice slice) {
    jobs.each(slice, [&](std::size_t s, std::size_t h) {
      const MatrixView<Real> out = jobs.of_queries(concat, s, h);
      if (watched)
        recorded_attention(out, jobs.inputs(s, h), record.of(jobs, s, h), jobs.dropout(s, h));
      else
        attention(out, jobs.inputs(s, h), jobs.dropout(s, h));
    });
  });
  report(context, "scores", record.scores, jobs.pairs());
  report(context, "weights", record.weights, jobs.pairs());

  const arma::Mat<Real> y = forward(layer.linears[3], concat);
  report(context, "output", y, queries.sequences);
  if (saved) *saved = {std::move(Q), std::move(K), std::move(V), std::move(concat)};
  return y;
}

template <class Real>
AttentionInputGradients<Real> backward(const Trainable<MultiHeadAttention<Real>>& attention,
                                       const AttentionSaved<Real>& saved, const AttentionInputs<Real>& inputs,
                                       const arma::Mat<Real>& dy, const ForwardContext<Real>& context) {
  const auto& [queries, keys, config] = inputs;
  const auto through = [&](std::size_t i, const arma::Mat<Real>& x, const arma::Mat<Real>& d) {
    return backward<Real>({attention.layer.linears[i], attention.gradient.linears[i]}, x, d);
  };
  const arma::Mat<Real> d_concat = through(3, saved.concat, dy);

  const Jobs<Real> jobs{saved.Q, saved.K, saved.V, queries.sequences, keys.sequences, config, context};
  arma::Mat<Real> dQ = unset<Real>(saved.Q.n_rows, saved.Q.n_cols),
                  dK(arma::size(saved.K), arma::fill::zeros), dV(arma::size(saved.V), arma::fill::zeros);
  parallel_for(jobs.count(), [&](Slice slice) {
    jobs.each(slice, [&](std::size_t s, std::size_t h) {
      attention_backward<Real>({jobs.of_queries(dQ, s, h), jobs.of_keys(dK, s, h), jobs.of_keys(dV, s, h)},
                               jobs.of_queries(d_concat, s, h), jobs.inputs(s, h), jobs.dropout(s, h));
    });
  });
  AttentionInputGradients<Real> d{through(0, queries.values, dQ), through(1, keys.values, dK)};
  d.keys += through(2, keys.values, dV);
  return d;
}

template arma::Mat<float> forward(const MultiHeadAttention<float>&, const AttentionInputs<float>&,
                                  const ForwardContext<float>&, AttentionSaved<float>*);
template arma::Mat<double> forward(const MultiHeadAttention<double>&, const AttentionInputs<double>&,
                                   const ForwardContext<double>&, AttentionSaved<double>*);
template AttentionInputGradients<float> backward(const Trainable<MultiHeadAttention<float>>&,
                                                 const AttentionSaved<float>&, const AttentionInputs<float>&,
                                                 const arma::Mat<float>&, const ForwardContext<float>&);
template AttentionInputGradients<double> backward(const Trainable<MultiHeadAttention<double>>&,
                                                  const AttentionSaved<double>&,
                                                  const AttentionInputs<double>&, const arma::Mat<double>&,
                                                  const ForwardContext<double>&);

} // namespace tfx
