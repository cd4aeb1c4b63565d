#include "layers/positional.hpp"

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "kernels/elementwise.hpp"
#include "kernels/positional.hpp"

namespace tfx {

namespace {

template <class Real>
void add_table(arma::Mat<Real>& x, const Sequences& sequences, const arma::Mat<Real>& table) {
  assert(x.n_rows == table.n_rows && x.n_cols == sequences.tokens());
  parallel_for(sequences.count(), [&](Slice slice) {
    for (std::size_t s = slice.begin; s < slice.end; ++s)
      add(view(x).columns(sequences.offsets[s], sequences.length(s)),
          view(table).columns(0, sequences.length(s)));
  });
}

} // namespace

template <class Real>
void add_sinusoidal_positions(arma::Mat<Real>& x, const Sequences& sequences) {
  arma::Mat<Real> table = unset<Real>(x.n_rows, sequences.longest());
  sinusoidal_positions(view(table));
  add_table(x, sequences, table);
}

template <class Real>
void add_positions(arma::Mat<Real>& x, const Sequences& sequences, const LearnedPositions<Real>& layer) {
  if (sequences.longest() > layer.table.n_cols)
    throw Error(ErrorKind::bad_data,
                said("a sequence has {count} tokens, the table of positions has {most}",
                     {{"count", sequences.longest()}, {"most", layer.table.n_cols}}),
                said("shorten the sequence"));
  add_table(x, sequences, layer.table);
}

template void add_sinusoidal_positions(arma::Mat<float>&, const Sequences&);
template void add_sinusoidal_positions(arma::Mat<double>&, const Sequences&);
template void add_positions(arma::Mat<float>&, const Sequences&, const LearnedPositions<float>&);
template void add_positions(arma::Mat<double>&, const Sequences&, const LearnedPositions<double>&);

} // namespace tfx
