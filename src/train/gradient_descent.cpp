#include "train/gradient_descent.hpp"

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "kernels/elementwise.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

namespace tfx {

namespace {

void require_fit(const TokenIds& labels, std::size_t columns, std::size_t vocab, const Smoothing& smoothing) {
  if (labels.size() != columns)
    throw Error(ErrorKind::bad_data,
                said("{labels} labels for {tokens} tokens", {{"labels", labels.size()}, {"tokens", columns}}),
                said("every token of the target needs a label: the token that comes next"));
  for (std::size_t j = 0; j < labels.size(); ++j)
    if (labels[j] >= vocab && labels[j] != smoothing.pad)
      throw Error(ErrorKind::bad_data,
                  said("label {index} is the id {id}, the vocabulary has {count}",
                       {{"index", j}, {"id", labels[j]}, {"count", vocab}}),
                  said("ids count from 0"));
  if (!(smoothing.epsilon >= 0 && smoothing.epsilon < 1))
    throw usage(
        said("a smoothing of {value} is not in [0, 1)", {{"value", std::to_string(smoothing.epsilon)}}),
        said("0.1 is usual; 0 smooths nothing"));
  if (smoothing.epsilon > 0 && vocab < 3)
    throw Error(ErrorKind::bad_data,
                said("a vocabulary of {count} has no token to give the smoothing to", {{"count", vocab}}),
                said("smoothing goes to tokens that are neither the label nor padding"));
}

} // namespace

std::size_t count_tokens(const TokenIds& labels, std::uint32_t pad) {
  return labels.size() - static_cast<std::size_t>(std::count(labels.begin(), labels.end(), pad));
}

template <class Real>
Loss loss_and_gradient(arma::Mat<Real>& logits, const TokenIds& labels, const Smoothing& smoothing,
                       double divisor) {
  require_fit(labels, logits.n_cols, logits.n_rows, smoothing);
  std::vector<double> losses(labels.size());
  parallel_for(labels.size(), [&](Slice slice) {
    cross_entropy(losses.data() + slice.begin, view(logits).columns(slice.begin, slice.size()),
                  labels.data() + slice.begin, smoothing, 1 / divisor);
  });
  return {std::accumulate(losses.begin(), losses.end(), 0.0), count_tokens(labels, smoothing.pad)};
}

template <class Real>
Loss add_gradient(const Trainable<Transformer<Real>>& model, const TrainingBatch& batch,
                  const Smoothing& smoothing, double divisor, const ForwardContext<Real>& context) {
  ModelSaved<Real> saved;
  arma::Mat<Real> d_logits = logits(model.layer, batch.inputs(), context, saved);
  const Loss loss = loss_and_gradient(d_logits, batch.labels, smoothing, divisor);
  context.inside("loss").mark(Pass::forward);
  backward(model, saved, batch.inputs(), d_logits, context);
  return loss;
}

template <class Real>
Transformer<Real> zeros_like(const Transformer<Real>& model) {
  Transformer<Real> zeros(model.spec);
  each_parameter([](const std::string&, auto& tensor) { tensor.zeros(); }, "", zeros);
  return zeros;
}

template Loss loss_and_gradient(arma::Mat<float>&, const TokenIds&, const Smoothing&, double);
template Loss loss_and_gradient(arma::Mat<double>&, const TokenIds&, const Smoothing&, double);
template Loss add_gradient(const Trainable<Transformer<float>>&, const TrainingBatch&, const Smoothing&,
                           double, const ForwardContext<float>&);
template Loss add_gradient(const Trainable<Transformer<double>>&, const TrainingBatch&, const Smoothing&,
                           double, const ForwardContext<double>&);
template Transformer<float> zeros_like(const Transformer<float>&);
template Transformer<double> zeros_like(const Transformer<double>&);

namespace {

/// 0 … 1 on the way up, where there is one.
double rise(double step, double warmup) {
  return warmup > 0 ? std::min(1.0, step / warmup) : 1;
}

} // namespace

const Choices<Schedule::Curve>& curves() {
  static const Choices<Schedule::Curve> all{{"warmup", Schedule::Curve::warmup_root},
                                            {"linear", Schedule::Curve::linear},
                                            {"cosine", Schedule::Curve::cosine}};
  return all;
}

const Choices<Decayed>& decayed_words() {
  static const Choices<Decayed> all{{"all", Decayed::all}, {"matrices", Decayed::matrices}};
  return all;
}

double learning_rate(const Schedule& schedule, std::uint64_t step) {
  const double t = static_cast<double>(std::max<std::uint64_t>(step, 1)),
               warmup = static_cast<double>(schedule.warmup);
  if (schedule.curve == Schedule::Curve::warmup_root) {
    const double root = 1 / std::sqrt(static_cast<double>(schedule.d_model));
    return schedule.rate * root * std::min(1 / std::sqrt(t), warmup > 0 ? t * std::pow(warmup, -1.5) : 1);
  }
  if (t <= warmup || schedule.decay_to == 0) return schedule.rate * rise(t, warmup);
  const double end = static_cast<double>(schedule.decay_to);
  const double left = end > warmup ? std::max((end - t) / (end - warmup), 0.0) : 0;
  if (schedule.curve == Schedule::Curve::linear) return schedule.rate * std::max(schedule.least, left);
  const double wave = (1 - std::cos(std::numbers::pi * left)) / 2;
  return schedule.rate * (schedule.least + (1 - schedule.least) * wave);
}

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
void clear(Transformer<Real>& gradient) {
  const auto pieces = pieces_of<Real>(gradient);
  parallel_for(pieces.size(), [&](Slice slice) {
    for (std::size_t i = slice.begin; i < slice.end; ++i)
      std::fill_n(pieces[i].data, pieces[i].count, Real{0});
  });
}

template <class Real>
double gradient_norm(const Transformer<Real>& gradient) {
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
void adam(Transformer<Real>& model, AdamMoments<Real>& moments, const Transformer<Real>& gradient,
          const AdamStep& step, Decayed decayed) {
  struct Piece {
    AdamView<Real> numbers;
    bool decays;
  };
  std::vector<Piece> pieces;
  each_parameter(
      [&](const std::string&, auto& p, auto& m, auto& v, const auto& g) {
        const bool decays = decayed == Decayed::all || !std::remove_reference_t<decltype(p)>::is_col;
        each_piece(p.n_elem, [&](std::size_t i, std::size_t count) {
          pieces.push_back({{p.memptr() + i, m.memptr() + i, v.memptr() + i, g.memptr() + i, count}, decays});
        });
      },
      "", model, moments.m, moments.v, gradient);
  AdamStep without_decay = step;
  without_decay.rule.decay = 0;
  parallel_for(pieces.size(), [&](Slice slice) {
    for (std::size_t i = slice.begin; i < slice.end; ++i)
      adam(pieces[i].numbers, pieces[i].decays ? step : without_decay);
  });
}

template struct AdamMoments<float>;
template struct AdamMoments<double>;
template void clear(Transformer<float>&);
template void clear(Transformer<double>&);
template double gradient_norm(const Transformer<float>&);
template double gradient_norm(const Transformer<double>&);
template void adam(Transformer<float>&, AdamMoments<float>&, const Transformer<float>&, const AdamStep&,
                   Decayed);
template void adam(Transformer<double>&, AdamMoments<double>&, const Transformer<double>&, const AdamStep&,
                   Decayed);

} // namespace tfx
