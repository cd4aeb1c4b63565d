#include "layers/embedding.hpp"

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "kernels/elementwise.hpp"
#include "kernels/embedding.hpp"
#include "kernels/positional.hpp"

namespace tfx {

template <class Real>
arma::Mat<Real> forward(const Embedding<Real>& layer, const std::vector<std::uint32_t>& ids,
                        std::type_identity_t<Real> scale) {
  for (std::size_t t = 0; t < ids.size(); ++t)
    if (ids[t] >= layer.lut.n_cols)
      throw Error(ErrorKind::bad_data,
                  said("token {token} has the id {id}, the vocabulary has {count}",
                       {{"token", t}, {"id", ids[t]}, {"count", layer.lut.n_cols}}),
                  said("ids count from 0"));
  arma::Mat<Real> y = unset<Real>(layer.lut.n_rows, ids.size());
  parallel_for(ids.size(), [&](Slice slice) {
    embed(view(y).columns(slice.begin, slice.size()), view(layer.lut), ids.data() + slice.begin, scale);
  });
  return y;
}

template <class Real>
void backward(const Trainable<Embedding<Real>>& embedding, const std::vector<std::uint32_t>& ids,
              const arma::Mat<Real>& dy, std::type_identity_t<Real> scale) {
  embed_backward<Real>(view(embedding.gradient.lut), view(dy), ids.data(), scale);
}

template void backward(const Trainable<Embedding<float>>&, const std::vector<std::uint32_t>&,
                       const arma::Mat<float>&, float);
template void backward(const Trainable<Embedding<double>>&, const std::vector<std::uint32_t>&,
                       const arma::Mat<double>&, double);
template arma::Mat<float> forward(const Embedding<float>&, const std::vector<std::uint32_t>&, float);
template arma::Mat<double> forward(const Embedding<double>&, const std::vector<std::uint32_t>&, double);

namespace {

/// Column j of the table is of position first + j.
template <class Real>
void add_table(arma::Mat<Real>& x, const Sequences& sequences, const Places& places,
               const arma::Mat<Real>& table, std::size_t first) {
  assert(x.n_rows == table.n_rows && x.n_cols == sequences.tokens());
  parallel_for(sequences.count(), [&](Slice slice) {
    for (std::size_t s = slice.begin; s < slice.end; ++s)
      add(view(x).columns(sequences.offsets[s], sequences.length(s)),
          view(table).columns(places.of(s) - first, sequences.length(s)));
  });
}

} // namespace

template <class Real>
void add_sinusoidal_positions(arma::Mat<Real>& x, const Sequences& sequences, const Places& places) {
  arma::Mat<Real> table = unset<Real>(x.n_rows, places.end - places.begin); // those that are asked for
  sinusoidal_positions(view(table), places.begin);
  add_table(x, sequences, places, table, places.begin);
}

template <class Real>
void add_positions(arma::Mat<Real>& x, const Sequences& sequences, const Places& places,
                   const LearnedPositions<Real>& layer) {
  if (places.end > layer.table.n_cols)
    throw Error(ErrorKind::bad_data,
                said("a sequence has {count} tokens, the table of positions has {most}",
                     {{"count", places.end}, {"most", layer.table.n_cols}}),
                said("shorten the sequence"));
  add_table(x, sequences, places, layer.table, 0);
}

template <class Real>
void positions_backward(LearnedPositions<Real>& gradient, const Sequences& sequences,
                        const arma::Mat<Real>& dy) {
  for (std::size_t s = 0; s < sequences.count(); ++s)
    add(view(gradient.table).columns(0, sequences.length(s)),
        view(dy).columns(sequences.offsets[s], sequences.length(s)));
}

template void add_sinusoidal_positions(arma::Mat<float>&, const Sequences&, const Places&);
template void add_positions(arma::Mat<float>&, const Sequences&, const Places&,
                            const LearnedPositions<float>&);
template void positions_backward(LearnedPositions<float>&, const Sequences&, const arma::Mat<float>&);
template void add_sinusoidal_positions(arma::Mat<double>&, const Sequences&, const Places&);
template void add_positions(arma::Mat<double>&, const Sequences&, const Places&,
                            const LearnedPositions<double>&);
template void positions_backward(LearnedPositions<double>&, const Sequences&, const arma::Mat<double>&);

} // namespace tfx
