#include "layers/embedding.hpp"

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "kernels/elementwise.hpp"
#include "kernels/embedding.hpp"
#include "kernels/positional.hpp"

#include <functional>

namespace tfx {

template <class Real>
arma::Mat<Real> forward(const Embedding<Real>& layer, const std::vector<std::uint32_t>& ids) {
  for (std::size_t t = 0; t < ids.size(); ++t)
    if (ids[t] >= layer.lut.n_cols)
      throw Error(ErrorKind::bad_data,
                  said("token {token} has the id {id}, the vocabulary has {count}",
                       {{"token", t}, {"id", ids[t]}, {"count", layer.lut.n_cols}}),
                  said("ids count from 0"));
  arma::Mat<Real> y = unset<Real>(layer.lut.n_rows, ids.size());
  parallel_for(ids.size(), [&](Slice slice) {
    embed(view(y).columns(slice.begin, slice.size()), view(layer.lut), ids.data() + slice.begin);
  });
  return y;
}

template <class Real>
void backward(const Trainable<Embedding<Real>>& embedding, const std::vector<std::uint32_t>& ids,
              const arma::Mat<Real>& dy) {
  embed_backward<Real>(view(embedding.gradient.lut), view(dy), ids.data());
}

template void backward(const Trainable<Embedding<float>>&, const std::vector<std::uint32_t>&,
                       const arma::Mat<float>&);
template void backward(const Trainable<Embedding<double>>&, const std::vector<std::uint32_t>&,
                       const arma::Mat<double>&);
template arma::Mat<float> forward(const Embedding<float>&, const std::vector<std::uint32_t>&);
template arma::Mat<double> forward(const Embedding<double>&, const std::vector<std::uint32_t>&);

namespace {

template <class Real>
void add_table(arma::Mat<Real>& x, const Sequences& sequences, const arma::Mat<Real>& table,
               const std::function<std::size_t(std::size_t)>& first_of) {
  assert(x.n_rows == table.n_rows && x.n_cols == sequences.tokens());
  parallel_for(sequences.count(), [&](Slice slice) {
    for (std::size_t s = slice.begin; s < slice.end; ++s)
      add(view(x).columns(sequences.offsets[s], sequences.length(s)),
          view(table).columns(first_of(s), sequences.length(s)));
  });
}

} // namespace

template <class Real>
void add_sinusoidal_positions(arma::Mat<Real>& x, const Sequences& sequences,
                              const std::vector<std::size_t>& first) {
  const auto place = [&](std::size_t s) { return first.empty() ? 0 : first[s]; };
  std::size_t begin = sequences.count() ? place(0) : 0, end = begin;
  for (std::size_t s = 0; s < sequences.count(); ++s)
    begin = std::min(begin, place(s)), end = std::max(end, place(s) + sequences.length(s));
  arma::Mat<Real> table = unset<Real>(x.n_rows, end - begin); // the places that are asked for
  sinusoidal_positions(view(table), begin);
  add_table<Real>(x, sequences, table, [&](std::size_t s) { return place(s) - begin; });
}

template <class Real>
void add_positions(arma::Mat<Real>& x, const Sequences& sequences, const LearnedPositions<Real>& layer) {
  if (sequences.longest() > layer.table.n_cols)
    throw Error(ErrorKind::bad_data,
                said("a sequence has {count} tokens, the table of positions has {most}",
                     {{"count", sequences.longest()}, {"most", layer.table.n_cols}}),
                said("shorten the sequence"));
  add_table<Real>(x, sequences, layer.table, [](std::size_t) { return std::size_t{0}; });
}

template void add_sinusoidal_positions(arma::Mat<float>&, const Sequences&, const std::vector<std::size_t>&);
template void add_sinusoidal_positions(arma::Mat<double>&, const Sequences&, const std::vector<std::size_t>&);
template void add_positions(arma::Mat<float>&, const Sequences&, const LearnedPositions<float>&);
template void add_positions(arma::Mat<double>&, const Sequences&, const LearnedPositions<double>&);

} // namespace tfx
