#include "train/optimizer.hpp"

#include "core/parallel.hpp"

#include <cmath>

namespace tfx {

template <class Real>
double gradient_norm(const EncoderDecoder<Real>& gradient) {
  double squares = 0;
  each_parameter(
      [&](const std::string&, const auto& tensor) {
        for (const Real cell : tensor) squares += static_cast<double>(cell) * cell;
      },
      "", gradient);
  return std::sqrt(squares);
}

double clipping_factor(double norm, double longest) {
  constexpr double torch_epsilon = 1e-6;
  return longest > 0 ? std::min(1.0, longest / (norm + torch_epsilon)) : 1;
}

template <class Real>
void adam(EncoderDecoder<Real>& model, Moments<Real>& moments, const EncoderDecoder<Real>& gradient,
          const AdamStep& step) {
  constexpr std::size_t worth_a_thread = 1 << 14;
  each_parameter(
      [&](const std::string&, auto& p, auto& m, auto& v, const auto& g) {
        parallel_for(
            p.n_elem,
            [&](Slice slice) {
              const std::size_t i = slice.begin;
              adam<Real>({p.memptr() + i, m.memptr() + i, v.memptr() + i, g.memptr() + i, slice.size()},
                         step);
            },
            worth_a_thread);
      },
      "", model, moments.m, moments.v, gradient);
}

template struct Moments<float>;
template struct Moments<double>;
template double gradient_norm(const EncoderDecoder<float>&);
template double gradient_norm(const EncoderDecoder<double>&);
template void adam(EncoderDecoder<float>&, Moments<float>&, const EncoderDecoder<float>&, const AdamStep&);
template void adam(EncoderDecoder<double>&, Moments<double>&, const EncoderDecoder<double>&, const AdamStep&);

} // namespace tfx
