#include "layers/forward_context.hpp"

#include "core/parallel.hpp"
#include "kernels/elementwise.hpp"
#include "layers/parameters.hpp"
#include "random/stream.hpp"

#include <functional>

namespace tfx {

template <class Real>
Tensor to_tensor(const StridedView<Real>& view) {
  Tensor tensor(view.shape);
  Index index(view.shape.size(), 0);
  for (double& cell : tensor.data) {
    std::size_t offset = 0;
    for (std::size_t axis = 0; axis < index.size(); ++axis) offset += index[axis] * view.strides[axis];
    cell = static_cast<double>(view.data[offset]);
    for (std::size_t axis = index.size(); axis-- > 0 && ++index[axis] == view.shape[axis];) index[axis] = 0;
  }
  return tensor;
}

template Tensor to_tensor(const StridedView<float>&);
template Tensor to_tensor(const StridedView<double>&);

namespace {

/// Reports `value_of(s)`: all sequences at once where they are `equal` in length, else each by itself.
/// Sequences of one length stand at one distance.
template <class Real>
void report_each(const ForwardContext<Real>& context, const std::string& part, std::size_t count, bool equal,
                 const std::function<StridedView<Real>(std::size_t)>& value_of) {
  const std::string name = join_names(context.name, part);
  if (!equal || count == 1) {
    for (std::size_t s = 0; s < count; ++s) context.observer->report(name, value_of(s));
    return;
  }
  StridedView<Real> value = value_of(0);
  value.shape.insert(value.shape.begin(), count);
  value.strides.insert(value.strides.begin(), static_cast<std::size_t>(value_of(1).data - value.data));
  context.observer->report(name, value);
}

} // namespace

template <class Real>
ForwardContext<Real> ForwardContext<Real>::inside(const std::string& part) const {
  return {observer, training, join_names(name, part), times};
}

template <class Real>
bool ForwardContext<Real>::wants(const std::string& part) const {
  return observer && observer->wants(join_names(name, part));
}

template <class Real>
void report(const ForwardContext<Real>& context, const std::string& part, const arma::Mat<Real>& tokens,
            const Sequences& sequences) {
  if (!context.wants(part)) return;
  const std::size_t d = tokens.n_rows;
  report_each<Real>(
      context, part, sequences.count(), sequences.common_length().has_value(), [&](std::size_t s) {
        return StridedView<Real>{tokens.colptr(sequences.offsets[s]), {sequences.length(s), d}, {d, 1}};
      });
}

template <class Real>
void report_heads(const ForwardContext<Real>& context, const std::string& part, const arma::Mat<Real>& tokens,
                  const Sequences& sequences, std::size_t heads) {
  if (!context.wants(part)) return;
  const std::size_t d = tokens.n_rows, d_k = d / heads;
  report_each<Real>(
      context, part, sequences.count(), sequences.common_length().has_value(), [&](std::size_t s) {
        return StridedView<Real>{
            tokens.colptr(sequences.offsets[s]), {heads, sequences.length(s), d_k}, {d_k, d, 1}};
      });
}

template <class Real>
std::size_t Pairs<Real>::offset(std::size_t s, std::size_t h) const {
  std::size_t before = 0;
  for (std::size_t i = 0; i < s; ++i) before += heads * queries.length(i) * keys.length(i);
  return s < queries.count() ? before + h * queries.length(s) * keys.length(s) : before;
}

template <class Real>
void report(const ForwardContext<Real>& context, const std::string& part, const arma::Col<Real>& cells,
            const Pairs<Real>& pairs) {
  if (!context.wants(part)) return;
  const bool equal = pairs.queries.common_length() && pairs.keys.common_length();
  report_each<Real>(context, part, pairs.queries.count(), equal, [&](std::size_t s) {
    const std::size_t n_q = pairs.queries.length(s), n_k = pairs.keys.length(s);
    return StridedView<Real>{
        cells.memptr() + pairs.offset(s, 0), {pairs.heads, n_q, n_k}, {n_q * n_k, n_k, 1}};
  });
}

namespace {

/// y = base + dropped x, where base may be none.
template <class Real>
void drop_onto(const ForwardContext<Real>& context, arma::Mat<Real>& y, const arma::Mat<Real>* base,
               const arma::Mat<Real>& x) {
  const TrainingMode& training = *context.training;
  const std::uint32_t number = stream_number(context.name);
  parallel_for(x.n_cols, [&](Slice slice) {
    const RandomStream stream(training.seed, number, training.step);
    const auto slab = [&](auto& matrix) { return view(matrix).columns(slice.begin, slice.size()); };
    drop<Real>(
        slab(y), base ? slab(*base) : MatrixView<const Real>(), slab(x), training.dropout,
        [&](auto... range) { stream.draw(range...); }, slice.begin * x.n_rows);
  });
}

} // namespace

template <class Real>
void drop(const ForwardContext<Real>& context, arma::Mat<Real>& y, const arma::Mat<Real>& x) {
  if (drops(context)) return drop_onto<Real>(context, y, nullptr, x);
  if (&y != &x) y = x;
}

template <class Real>
void add_dropped(const ForwardContext<Real>& context, arma::Mat<Real>& y, const arma::Mat<Real>& base,
                 const arma::Mat<Real>& x) {
  if (drops(context)) return drop_onto(context, y, &base, x);
  if (&y != &base && &y != &x) y = x;
  add(view(y), view(&y == &base ? x : base));
}

template struct ForwardContext<float>;
template struct ForwardContext<double>;
template struct Pairs<float>;
template struct Pairs<double>;
template void report(const ForwardContext<float>&, const std::string&, const arma::Mat<float>&,
                     const Sequences&);
template void report(const ForwardContext<double>&, const std::string&, const arma::Mat<double>&,
                     const Sequences&);
template void report(const ForwardContext<float>&, const std::string&, const arma::Col<float>&,
                     const Pairs<float>&);
template void report(const ForwardContext<double>&, const std::string&, const arma::Col<double>&,
                     const Pairs<double>&);
template void report_heads(const ForwardContext<float>&, const std::string&, const arma::Mat<float>&,
                           const Sequences&, std::size_t);
template void report_heads(const ForwardContext<double>&, const std::string&, const arma::Mat<double>&,
                           const Sequences&, std::size_t);
template void drop(const ForwardContext<float>&, arma::Mat<float>&, const arma::Mat<float>&);
template void drop(const ForwardContext<double>&, arma::Mat<double>&, const arma::Mat<double>&);
template void add_dropped(const ForwardContext<float>&, arma::Mat<float>&, const arma::Mat<float>&,
                          const arma::Mat<float>&);
template void add_dropped(const ForwardContext<double>&, arma::Mat<double>&, const arma::Mat<double>&,
                          const arma::Mat<double>&);

} // namespace tfx
