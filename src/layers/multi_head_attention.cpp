#include "layers/multi_head_attention.hpp"

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "kernels/attention.hpp"
#include "kernels/elementwise.hpp"
#include "random/stream.hpp"

#include <algorithm>

namespace tfx {

namespace {

/// Queries that share one pass over the keys.
constexpr std::size_t tile = 64;

void require_fit(const Sequences& queries, const Sequences& keys, std::size_t width, std::size_t heads) {
  if (heads == 0 || width % heads != 0)
    throw Error(ErrorKind::bad_data,
                std::to_string(heads) + " heads do not divide a width of " + std::to_string(width),
                "the width of a head is d_model / heads, a whole number");
  if (queries.count() != keys.count())
    throw Error(ErrorKind::bad_data,
                std::to_string(queries.count()) + " sequences attend to " + std::to_string(keys.count()),
                "source and target need equally many sequences");
}

/// The heads of all sequences, one job each.
template <class Real>
struct Jobs {
  const arma::Mat<Real>&Q, &K, &V;
  const Sequences &queries, &keys;
  Heads heads;
  Pairs<Real> pairs;
  arma::Col<Real>&scores, &weights; ///< empty where nobody wants them
  arma::Mat<Real>& concat;

  void run(Slice slice, const Pass<Real>& pass) const;
  AttentionInputs<Real> inputs(std::size_t s, std::size_t h) const;
  AttentionRecord<Real> record(std::size_t s, std::size_t h) const;
  EditWeights<Real> dropout(std::size_t s, std::size_t h, const Pass<Real>& pass) const;

  std::size_t d_k() const { return Q.n_rows / heads.count; }
};

template <class Real>
AttentionInputs<Real> Jobs<Real>::inputs(std::size_t s, std::size_t h) const {
  const std::size_t first = keys.offsets[s], n_k = keys.length(s);
  return {view(Q).block(h * d_k(), d_k(), queries.offsets[s], queries.length(s)),
          view(K).block(h * d_k(), d_k(), first, n_k), view(V).block(h * d_k(), d_k(), first, n_k),
          Visible{keys.valid_of(s), heads.mask}};
}

template <class Real>
AttentionRecord<Real> Jobs<Real>::record(std::size_t s, std::size_t h) const {
  const auto place = [&](arma::Col<Real>& cells) {
    if (cells.is_empty()) return MatrixView<Real>();
    return MatrixView<Real>(cells.memptr() + pairs.offset(s, h), keys.length(s), queries.length(s));
  };
  return {place(scores), place(weights)};
}

template <class Real>
EditWeights<Real> Jobs<Real>::dropout(std::size_t s, std::size_t h, const Pass<Real>& pass) const {
  if (!pass.training || pass.training->dropout == 0) return {};
  const Training training = *pass.training;
  RandomStream numbers(training.seed, stream_number(pass.name), training.step);
  return [=, first_cell = pairs.offset(s, h), n_k = keys.length(s)](MatrixView<Real> cells,
                                                                    std::size_t first_query) mutable {
    drop(
        cells, training.dropout, [&](std::uint64_t index) { return numbers.uniform(index); },
        first_cell + first_query * n_k);
  };
}

template <class Real>
void Jobs<Real>::run(Slice slice, const Pass<Real>& pass) const {
  arma::Col<Real> scratch(keys.longest() * std::min(tile, queries.longest()), arma::fill::none);
  for (std::size_t job = slice.begin; job < slice.end; ++job) {
    const std::size_t s = job / heads.count, h = job % heads.count;
    attention(view(concat).block(h * d_k(), d_k(), queries.offsets[s], queries.length(s)), inputs(s, h),
              MatrixView<Real>(scratch.memptr(), keys.length(s), std::min(tile, queries.longest())),
              record(s, h), dropout(s, h, pass));
  }
}

} // namespace

template <class Real>
arma::Mat<Real> forward(const MultiHeadAttention<Real>& layer, const Tokens<Real>& queries,
                        const Tokens<Real>& keys, const Heads& heads, const Pass<Real>& pass) {
  require_fit(queries.sequences, keys.sequences, layer.linears[0].weight.n_cols, heads.count);
  const arma::Mat<Real> Q = forward(layer.linears[0], queries.values);
  const arma::Mat<Real> K = forward(layer.linears[1], keys.values);
  const arma::Mat<Real> V = forward(layer.linears[2], keys.values);
  report_heads(pass, "Q", Q, queries.sequences, heads.count);
  report_heads(pass, "K", K, keys.sequences, heads.count);
  report_heads(pass, "V", V, keys.sequences, heads.count);

  const Pairs<Real> pairs{queries.sequences, keys.sequences, heads.count};
  arma::Col<Real> scores(pass.wants("scores") ? pairs.size() : 0, arma::fill::none);
  arma::Col<Real> weights(pass.wants("weights") ? pairs.size() : 0, arma::fill::none);
  arma::Mat<Real> concat = unset<Real>(Q.n_rows, Q.n_cols);
  const Jobs<Real> jobs{Q, K, V, queries.sequences, keys.sequences, heads, pairs, scores, weights, concat};
  parallel_for(queries.sequences.count() * heads.count, [&](Slice slice) { jobs.run(slice, pass); });
  report(pass, "scores", scores, pairs);
  report(pass, "weights", weights, pairs);

  const arma::Mat<Real> y = forward(layer.linears[3], concat);
  report(pass, "output", y, queries.sequences);
  return y;
}

template arma::Mat<float> forward(const MultiHeadAttention<float>&, const Tokens<float>&,
                                  const Tokens<float>&, const Heads&, const Pass<float>&);
template arma::Mat<double> forward(const MultiHeadAttention<double>&, const Tokens<double>&,
                                   const Tokens<double>&, const Heads&, const Pass<double>&);

} // namespace tfx
