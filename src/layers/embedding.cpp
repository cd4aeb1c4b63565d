#include "layers/embedding.hpp"

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "kernels/elementwise.hpp"
#include "kernels/embedding.hpp"
#include "kernels/positional.hpp"

#include <cmath>

namespace tfx {

namespace {

template <class Real>
Real factor_of(EmbeddingScale scale, std::size_t d_model) {
  return scale == EmbeddingScale::one ? Real{1} : std::sqrt(static_cast<Real>(d_model));
}

} // namespace

template <class Real>
arma::Mat<Real> forward(const Embedding<Real>& layer, const std::vector<std::uint32_t>& ids,
                        EmbeddingScale scale) {
  for (std::size_t t = 0; t < ids.size(); ++t)
    if (ids[t] >= layer.lut.n_cols)
      throw Error(ErrorKind::bad_data,
                  said("token {token} has the id {id}, the vocabulary has {count}",
                       {{"token", t}, {"id", ids[t]}, {"count", layer.lut.n_cols}}),
                  said("ids count from 0"));
  arma::Mat<Real> y = unset<Real>(layer.lut.n_rows, ids.size());
  parallel_for(ids.size(), [&](Slice slice) {
    embed(view(y).columns(slice.begin, slice.size()), view(layer.lut), ids.data() + slice.begin,
          factor_of<Real>(scale, layer.lut.n_rows));
  });
  return y;
}

template <class Real>
void backward(const Trainable<Embedding<Real>>& embedding, const std::vector<std::uint32_t>& ids,
              const arma::Mat<Real>& dy, EmbeddingScale scale) {
  embed_backward<Real>(view(embedding.gradient.lut), view(dy), ids.data(), factor_of<Real>(scale, dy.n_rows));
}

template void backward(const Trainable<Embedding<float>>&, const std::vector<std::uint32_t>&,
                       const arma::Mat<float>&, EmbeddingScale);
template void backward(const Trainable<Embedding<double>>&, const std::vector<std::uint32_t>&,
                       const arma::Mat<double>&, EmbeddingScale);
template arma::Mat<float> forward(const Embedding<float>&, const std::vector<std::uint32_t>&, EmbeddingScale);
template arma::Mat<double> forward(const Embedding<double>&, const std::vector<std::uint32_t>&,
                                   EmbeddingScale);

namespace {

template <class Real>
void add_table(arma::Mat<Real>& x, const Sequences& sequences, const arma::Mat<Real>& table,
               const std::vector<std::size_t>& first, std::size_t first_position) {
  assert(x.n_rows == table.n_rows && x.n_cols == sequences.tokens());
  parallel_for(sequences.count(), [&](Slice slice) {
    for (std::size_t s = slice.begin; s < slice.end; ++s)
      add(view(x).columns(sequences.offsets[s], sequences.length(s)),
          view(table).columns((first.empty() ? 0 : first[s]) - first_position, sequences.length(s)));
  });
}

} // namespace

template <class Real>
void add_sinusoidal_positions(arma::Mat<Real>& x, const Sequences& sequences,
                              const std::vector<std::size_t>& first) {
  const Places places = places_of(sequences, first);
  arma::Mat<Real> table = unset<Real>(x.n_rows, places.end - places.begin); // those that are asked for
  sinusoidal_positions(view(table), places.begin);
  add_table<Real>(x, sequences, table, first, places.begin);
}

template <class Real>
void add_positions(arma::Mat<Real>& x, const Sequences& sequences, const LearnedPositions<Real>& layer,
                   const std::vector<std::size_t>& first) {
  if (const std::size_t most = places_of(sequences, first).end; most > layer.table.n_cols)
    throw Error(ErrorKind::bad_data,
                said("a sequence has {count} tokens, the table of positions has {most}",
                     {{"count", most}, {"most", layer.table.n_cols}}),
                said("shorten the sequence"));
  add_table<Real>(x, sequences, layer.table, first, 0);
}

template <class Real>
void positions_backward(LearnedPositions<Real>& gradient, const Sequences& sequences,
                        const arma::Mat<Real>& dy) {
  for (std::size_t s = 0; s < sequences.count(); ++s)
    add(view(gradient.table).columns(0, sequences.length(s)),
        view(dy).columns(sequences.offsets[s], sequences.length(s)));
}

template void add_sinusoidal_positions(arma::Mat<float>&, const Sequences&, const std::vector<std::size_t>&);
template void add_sinusoidal_positions(arma::Mat<double>&, const Sequences&, const std::vector<std::size_t>&);
template void add_positions(arma::Mat<float>&, const Sequences&, const LearnedPositions<float>&,
                            const std::vector<std::size_t>&);
template void positions_backward(LearnedPositions<float>&, const Sequences&, const arma::Mat<float>&);
template void add_positions(arma::Mat<double>&, const Sequences&, const LearnedPositions<double>&,
                            const std::vector<std::size_t>&);
template void positions_backward(LearnedPositions<double>&, const Sequences&, const arma::Mat<double>&);

} // namespace tfx
