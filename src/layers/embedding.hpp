#pragma once
// Tokens to vectors: the row of the table times √d_model.

#include "layers/parameters.hpp"
#include "layers/storage.hpp"

#include <cstdint>
#include <vector>

namespace tfx {

template <class Real>
struct Embedding {
  Matrix<Real> lut; ///< d_model × vocab; (vocab, d_model) in files

  Embedding() = default;
  Embedding(std::size_t d_model, std::size_t vocab) : lut(d_model, vocab, arma::fill::zeros) {}

  template <class Visit, class... Layers>
  static void visit(Visit& visit, const std::string& prefix, Layers&... layers) {
    visit(join_names(prefix, "lut.weight"), layers.lut...);
  }
};

/// → d_model × n. Throws Error(bad_data) where an id is not below the vocabulary's size.
template <class Real>
arma::Mat<Real> forward(const Embedding<Real>& layer, const std::vector<std::uint32_t>& ids);

/// Backward: column ids[t] of d lut += √d_model·dy's column t.
template <class Real>
void backward(const Trainable<Embedding<Real>>& embedding, const std::vector<std::uint32_t>& ids,
              const arma::Mat<Real>& dy);

} // namespace tfx
