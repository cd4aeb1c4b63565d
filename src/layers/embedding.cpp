#include "layers/embedding.hpp"

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "kernels/embedding.hpp"

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

} // namespace tfx
