#include "train/optimizer.hpp"

#include "core/parallel.hpp"
#include "kernels/elementwise.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace tfx {

namespace {

/// Tensors are cut into pieces of so many numbers: threads share the pieces, which are the same whatever
/// their number.
constexpr std::size_t max_piece = 1 << 14;

/// body(begin, count) for the pieces of a tensor.
template <class Body>
void each_piece(std::size_t size, const Body& body) {
  for (std::size_t begin = 0; begin < size; begin += max_piece)
    body(begin, std::min(max_piece, size - begin));
}

template <class T>
struct ParameterPiece {
  T* data;
  std::size_t count;
};

template <class Real, class Model>
std::vector<ParameterPiece<Real>> pieces_of(Model& model) {
  std::vector<ParameterPiece<Real>> pieces;
  each_parameter(
      [&](const std::string&, auto& tensor) {
        each_piece(tensor.n_elem, [&](std::size_t begin, std::size_t count) {
          pieces.push_back({tensor.memptr() + begin, count});
        });
      },
      "", model);
  return pieces;
}

} // namespace

template <class Real>
void clear(EncoderDecoder<Real>& gradient) {
  const auto pieces = pieces_of<Real>(gradient);
  parallel_for(pieces.size(), [&](Slice slice) {
    for (std::size_t i = slice.begin; i < slice.end; ++i)
      std::fill_n(pieces[i].data, pieces[i].count, Real{0});
  });
}

template <class Real>
double gradient_norm(const EncoderDecoder<Real>& gradient) {
  const auto pieces = pieces_of<const Real>(gradient);
  std::vector<double> squares(pieces.size());
  parallel_for(pieces.size(), [&](Slice slice) {
    for (std::size_t i = slice.begin; i < slice.end; ++i)
      squares[i] = sum_of_squares(pieces[i].data, pieces[i].count);
  });
  return std::sqrt(std::accumulate(squares.begin(), squares.end(), 0.0));
}

double clipping_factor(double norm, double max_norm) {
  constexpr double torch_epsilon = 1e-6;
  return max_norm > 0 ? std::min(1.0, max_norm / (norm + torch_epsilon)) : 1;
}

template <class Real>
void adam(EncoderDecoder<Real>& model, AdamMoments<Real>& moments, const EncoderDecoder<Real>& gradient,
          const AdamStep& step) {
  std::vector<AdamView<Real>> pieces;
  each_parameter(
      [&](const std::string&, auto& p, auto& m, auto& v, const auto& g) {
        each_piece(p.n_elem, [&](std::size_t i, std::size_t count) {
          pieces.push_back({p.memptr() + i, m.memptr() + i, v.memptr() + i, g.memptr() + i, count});
        });
      },
      "", model, moments.m, moments.v, gradient);
  parallel_for(pieces.size(), [&](Slice slice) {
    for (std::size_t i = slice.begin; i < slice.end; ++i) adam(pieces[i], step);
  });
}

template struct AdamMoments<float>;
template struct AdamMoments<double>;
template void clear(EncoderDecoder<float>&);
template void clear(EncoderDecoder<double>&);
template double gradient_norm(const EncoderDecoder<float>&);
template double gradient_norm(const EncoderDecoder<double>&);
template void adam(EncoderDecoder<float>&, AdamMoments<float>&, const EncoderDecoder<float>&,
                   const AdamStep&);
template void adam(EncoderDecoder<double>&, AdamMoments<double>&, const EncoderDecoder<double>&,
                   const AdamStep&);

} // namespace tfx
