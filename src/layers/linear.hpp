#pragma once
// y = Wᵀ·x + b for every token, as torch.nn.Linear.

#include "kernels/narrow.hpp"
#include "layers/parameters.hpp"
#include "layers/storage.hpp"

#include <array>
#include <memory>

namespace tfx {

/// Whether a linear layer adds b.
enum class LinearBias { yes, no };

template <class Real>
struct Linear {
  Matrix<Real> weight; ///< d_in × d_out; (d_out, d_in) in files
  Vector<Real> bias;   ///< d_out, or empty
  /// The weight in fewer bits, which single tokens read; of a model that is not trained on
  /// (model/narrow.hpp).
  std::shared_ptr<const NarrowMatrix> narrow;

  Linear() = default;
  Linear(std::size_t d_in, std::size_t d_out, LinearBias has_bias = LinearBias::yes)
      : weight(d_in, d_out, arma::fill::zeros),
        bias(has_bias == LinearBias::yes ? d_out : 0, arma::fill::zeros) {}

  template <class Visit, class... Layers>
  static void visit(Visit& visit, const std::string& prefix, Layers&... layers) {
    visit(join_names(prefix, "weight"), layers.weight...);
    if (!first_of(layers...).bias.is_empty()) visit(join_names(prefix, "bias"), layers.bias...);
  }
};

/// x d_in × n → d_out × n. Throws Error(bad_data) with both shapes where they do not fit.
template <class Real>
arma::Mat<Real> forward(const Linear<Real>& layer, const arma::Mat<Real>& x);

/// The same for several layers that read the same x, as Q, K and V do: all in one go.
template <class Real, std::size_t n>
std::array<arma::Mat<Real>, n> forward(const std::array<const Linear<Real>*, n>& layers,
                                       const arma::Mat<Real>& x);

/// Backward: d weight += x·dyᵀ, d bias += Σ dy over the tokens; → dx = W·dy.
template <class Real>
arma::Mat<Real> backward(const Trainable<Linear<Real>>& linear, const arma::Mat<Real>& x,
                         const arma::Mat<Real>& dy);

} // namespace tfx
