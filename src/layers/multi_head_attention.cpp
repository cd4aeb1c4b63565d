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

template <class Real>
MultiHeadAttention<Real>::MultiHeadAttention(const LayerSpec& spec) {
  const std::size_t queries = spec.heads * spec.width_of_head(),
                    keys = spec.key_heads() * spec.width_of_head();
  const auto bias = [](bool yes) { return yes ? LinearBias::yes : LinearBias::no; };
  for (std::size_t i = 0; i < 3; ++i)
    linears[i] = Linear<Real>(spec.d_model, i == 0 ? queries : keys, bias(spec.biases.queries));
  linears[3] = Linear<Real>(queries, spec.d_model, bias(spec.biases.output));
  if (spec.qk_norm) q_norm = k_norm = Normalization<Real>(spec.width_of_head(), spec.norm);
}

template struct MultiHeadAttention<ShapesOnly>;
template struct MultiHeadAttention<float>;
template struct MultiHeadAttention<double>;

AttentionConfig attention_config(const LayerSpec& spec, Mask mask) {
  AttentionConfig config{spec.heads, mask, spec.kv_heads, mask == Mask::causal ? spec.window : 0};
  if (spec.qk_norm) config.qk_norm = spec.norm.kernel_rule();
  return config;
}

template <class Real>
std::optional<RotaryTable<Real>> rotary_table(const LayerSpec& spec, const Places& places) {
  if (spec.positions != Positions::rotary) return std::nullopt;
  const std::size_t pairs = spec.width_of_head() / 2, positions = places.end - places.begin;
  RotaryTable<Real> table{unset<Real>(pairs, positions), unset<Real>(pairs, positions), spec.pairs, places};
  rotary_angles(view(table.cosines), view(table.sines), spec.rotary_base, places.begin);
  return table;
}

template std::optional<RotaryTable<float>> rotary_table(const LayerSpec&, const Places&);
template std::optional<RotaryTable<double>> rotary_table(const LayerSpec&, const Places&);

namespace {

/// The heads of all tokens side by side, d_k × (heads · tokens): the same cells.
template <class Real>
arma::Mat<Real> side_by_side(const arma::Mat<Real>& x, std::size_t heads) {
  return arma::Mat<Real>(const_cast<Real*>(x.memptr()), x.n_rows / heads, heads * x.n_cols, false, true);
}

/// turn(block of a sequence, its place in the table) for every sequence.
template <class Real, class Turn>
void each_sequence(arma::Mat<Real>& x, const Sequences& sequences, const RotaryTable<Real>& rotary,
                   const Turn& turn) {
  parallel_for(sequences.count(), [&](Slice slice) {
    for (std::size_t s = slice.begin; s < slice.end; ++s)
      turn(view(x).columns(sequences.offsets[s], sequences.length(s)), rotary.angles(),
           rotary.places.of(s) - rotary.places.begin);
  });
}

} // namespace

template <class Real>
void prepare(arma::Mat<Real>& projected, const Sequences& sequences, const HeadsOf<Real>& of,
             const AttentionConfig& config, const RotaryTable<Real>* rotary) {
  if (config.qk_norm) {
    const std::size_t rows = projected.n_rows, tokens = projected.n_cols;
    projected = forward(of.norm, side_by_side(projected, of.heads), *config.qk_norm);
    projected.reshape(rows, tokens);
  }
  if (rotary)
    each_sequence(projected, sequences, *rotary,
                  [](auto x, const RotaryAngles<Real>& angles, std::size_t at) { rotate(x, angles, at); });
}

template void prepare(arma::Mat<float>&, const Sequences&, const HeadsOf<float>&, const AttentionConfig&,
                      const RotaryTable<float>*);
template void prepare(arma::Mat<double>&, const Sequences&, const HeadsOf<double>&, const AttentionConfig&,
                      const RotaryTable<double>*);

namespace {

void require_fit(const Sequences& queries, const Sequences& keys, std::size_t width,
                 const AttentionConfig& config) {
  require_heads(config.heads, width);
  assert(config.heads % config.key_heads() == 0);
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
    return view(matrix).block(config.key_head_of(h) * d_k(), d_k(), keys.offsets[s], keys.length(s));
  }
  HeadInputs<Real> inputs(std::size_t s, std::size_t h) const {
    return {of_queries(Q, s, h), of_keys(K, s, h), of_keys(V, s, h),
            AttentionMask{keys.valid_of(s), config.mask, 0, config.window}};
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
  const auto& [queries, keys, config, rotary] = inputs;
  require_fit(queries.sequences, keys.sequences, layer.linears[0].weight.n_cols, config);
  arma::Mat<Real> Q = forward(layer.linears[0], queries.values);
  arma::Mat<Real> K = forward(layer.linears[1], keys.values);
  arma::Mat<Real> V = forward(layer.linears[2], keys.values);
  if (saved && config.qk_norm) saved->Q_before = Q, saved->K_before = K;
  prepare(Q, queries.sequences, HeadsOf<Real>{layer.q_norm, config.heads}, config, rotary);
  prepare(K, keys.sequences, HeadsOf<Real>{layer.k_norm, config.key_heads()}, config, rotary);
  report_heads(context, "Q", Q, queries.sequences, config.heads);
  report_heads(context, "K", K, keys.sequences, config.key_heads());
  report_heads(context, "V", V, keys.sequences, config.key_heads());

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
  if (saved)
    saved->Q = std::move(Q), saved->K = std::move(K), saved->V = std::move(V),
    saved->concat = std::move(concat);
  return y;
}

template <class Real>
AttentionInputGradients<Real> backward(const Trainable<MultiHeadAttention<Real>>& attention,
                                       const AttentionSaved<Real>& saved, const AttentionInputs<Real>& inputs,
                                       const arma::Mat<Real>& dy, const ForwardContext<Real>& context) {
  const auto& [queries, keys, config, rotary] = inputs;
  const auto through = [&](std::size_t i, const arma::Mat<Real>& x, const arma::Mat<Real>& d) {
    return backward<Real>({attention.layer.linears[i], attention.gradient.linears[i]}, x, d);
  };
  const arma::Mat<Real> d_concat = through(3, saved.concat, dy);

  const Jobs<Real> jobs{saved.Q, saved.K, saved.V, queries.sequences, keys.sequences, config, context};
  arma::Mat<Real> dQ = unset<Real>(saved.Q.n_rows, saved.Q.n_cols),
                  dK(saved.K.n_rows, saved.K.n_cols, arma::fill::zeros),
                  dV(saved.V.n_rows, saved.V.n_cols, arma::fill::zeros);
  const std::size_t group = config.heads / config.key_heads(); // in one job: they add to the same dK and dV
  parallel_for(jobs.count() / group, [&](Slice slice) {
    jobs.each({slice.begin * group, slice.end * group}, [&](std::size_t s, std::size_t h) {
      attention_backward<Real>({jobs.of_queries(dQ, s, h), jobs.of_keys(dK, s, h), jobs.of_keys(dV, s, h)},
                               jobs.of_queries(d_concat, s, h), jobs.inputs(s, h), jobs.dropout(s, h));
    });
  });
  if (rotary)
    for (const auto& [d, sequences] : {std::pair{&dQ, &queries.sequences}, std::pair{&dK, &keys.sequences}})
      each_sequence(*d, *sequences, *rotary, [](auto x, const RotaryAngles<Real>& angles, std::size_t at) {
        rotate_back(x, angles, at);
      });
  if (config.qk_norm) {
    const auto through_norm = [&, style = *config.qk_norm](arma::Mat<Real>& d,
                                                           const Trainable<Normalization<Real>>& norm,
                                                           const arma::Mat<Real>& before, std::size_t heads) {
      d = backward(norm, side_by_side(before, heads), side_by_side(d, heads), style);
      d.reshape(before.n_rows, before.n_cols);
    };
    through_norm(dQ, {attention.layer.q_norm, attention.gradient.q_norm}, saved.Q_before, config.heads);
    through_norm(dK, {attention.layer.k_norm, attention.gradient.k_norm}, saved.K_before, config.key_heads());
  }
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
