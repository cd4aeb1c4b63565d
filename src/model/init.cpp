#include "model/init.hpp"

#include "random/numpy_rng.hpp"

#include <cmath>

namespace tfx {

namespace {

/// Draws the parameters as the visitor brings them: a bias follows its weight.
class Drawer {
public:
  Drawer(WeightInit init, std::uint32_t seed) : init_(init), numbers_(seed) {}

  template <class Real>
  void operator()(const std::string&, arma::Mat<Real>& weight) {
    const double in = static_cast<double>(weight.n_rows), out = static_cast<double>(weight.n_cols);
    fan_in_ = in;
    if (init_ == WeightInit::xavier_uniform) return fill_uniform(weight, std::sqrt(6 / (in + out)));
    const double deviation = std::sqrt(2 / (init_ == WeightInit::he ? in : in + out));
    for (Real& cell : weight) cell = static_cast<Real>(numbers_.randn() * deviation);
  }

  template <class Real>
  void operator()(const std::string& name, arma::Col<Real>& vector) {
    if (name.ends_with("a_2")) {
      vector.ones();
    } else if (name.ends_with("b_2") || init_ != WeightInit::xavier_uniform) {
      vector.zeros();
    } else {
      fill_uniform(vector, 1 / std::sqrt(fan_in_));
    }
  }

private:
  template <class Real>
  void fill_uniform(arma::Mat<Real>& tensor, double bound) {
    for (Real& cell : tensor) cell = static_cast<Real>(numbers_.uniform(-bound, bound));
  }

  WeightInit init_;
  NumpyRandom numbers_;
  double fan_in_ = 1; ///< of the last weight
};

} // namespace

template <class Real>
void initialize(EncoderDecoder<Real>& model, WeightInit init, std::uint32_t seed) {
  each_parameter(Drawer(init, seed), "", model);
}

template void initialize(EncoderDecoder<float>&, WeightInit, std::uint32_t);
template void initialize(EncoderDecoder<double>&, WeightInit, std::uint32_t);

} // namespace tfx
