#include "layers/pass.hpp"

#include "core/parallel.hpp"
#include "kernels/elementwise.hpp"
#include "layers/parameters.hpp"
#include "random/stream.hpp"

#include <functional>

namespace tfx {

namespace {

/// Reports `value_of(s)`: all sequences at once where they are `equal` in length, else each by itself.
/// Sequences of one length stand at one distance.
template <class Real>
void report_each(const Pass<Real>& pass, const std::string& part, std::size_t count, bool equal,
                 const std::function<StridedView<Real>(std::size_t)>& value_of) {
  const std::string name = join_names(pass.name, part);
  if (!equal || count == 1) {
    for (std::size_t s = 0; s < count; ++s) pass.observer->report(name, value_of(s));
    return;
  }
  StridedView<Real> value = value_of(0);
  value.shape.insert(value.shape.begin(), count);
  value.strides.insert(value.strides.begin(), static_cast<std::size_t>(value_of(1).data - value.data));
  pass.observer->report(name, value);
}

} // namespace

template <class Real>
Pass<Real> Pass<Real>::inside(const std::string& part) const {
  return {observer, training, join_names(name, part)};
}

template <class Real>
bool Pass<Real>::wants(const std::string& part) const {
  return observer && observer->wants(join_names(name, part));
}

template <class Real>
void report(const Pass<Real>& pass, const std::string& part, const arma::Mat<Real>& tokens,
            const Sequences& sequences) {
  if (!pass.wants(part)) return;
  const std::size_t d = tokens.n_rows;
  report_each<Real>(pass, part, sequences.count(), sequences.common_length().has_value(), [&](std::size_t s) {
    return StridedView<Real>{tokens.colptr(sequences.offsets[s]), {sequences.length(s), d}, {d, 1}};
  });
}

template <class Real>
void report_heads(const Pass<Real>& pass, const std::string& part, const arma::Mat<Real>& tokens,
                  const Sequences& sequences, std::size_t heads) {
  if (!pass.wants(part)) return;
  const std::size_t d = tokens.n_rows, d_k = d / heads;
  report_each<Real>(pass, part, sequences.count(), sequences.common_length().has_value(), [&](std::size_t s) {
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
void report(const Pass<Real>& pass, const std::string& part, const arma::Col<Real>& cells,
            const Pairs<Real>& pairs) {
  if (!pass.wants(part)) return;
  const bool equal = pairs.queries.common_length() && pairs.keys.common_length();
  report_each<Real>(pass, part, pairs.queries.count(), equal, [&](std::size_t s) {
    const std::size_t n_q = pairs.queries.length(s), n_k = pairs.keys.length(s);
    return StridedView<Real>{
        cells.memptr() + pairs.offset(s, 0), {pairs.heads, n_q, n_k}, {n_q * n_k, n_k, 1}};
  });
}

namespace {

/// y = base + dropped x, where base may be none.
template <class Real>
void drop_onto(const Pass<Real>& pass, arma::Mat<Real>& y, const arma::Mat<Real>* base,
               const arma::Mat<Real>& x) {
  const Training& training = *pass.training;
  const std::uint32_t number = stream_number(pass.name);
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
void drop(const Pass<Real>& pass, arma::Mat<Real>& y, const arma::Mat<Real>& x) {
  if (drops(pass)) return drop_onto<Real>(pass, y, nullptr, x);
  if (&y != &x) y = x;
}

template <class Real>
void add_dropped(const Pass<Real>& pass, arma::Mat<Real>& y, const arma::Mat<Real>& base,
                 const arma::Mat<Real>& x) {
  if (drops(pass)) return drop_onto(pass, y, &base, x);
  if (&y != &base && &y != &x) y = x;
  add(view(y), view(&y == &base ? x : base));
}

template struct Pass<float>;
template struct Pass<double>;
template struct Pairs<float>;
template struct Pairs<double>;
template void report(const Pass<float>&, const std::string&, const arma::Mat<float>&, const Sequences&);
template void report(const Pass<double>&, const std::string&, const arma::Mat<double>&, const Sequences&);
template void report(const Pass<float>&, const std::string&, const arma::Col<float>&, const Pairs<float>&);
template void report(const Pass<double>&, const std::string&, const arma::Col<double>&, const Pairs<double>&);
template void report_heads(const Pass<float>&, const std::string&, const arma::Mat<float>&, const Sequences&,
                           std::size_t);
template void report_heads(const Pass<double>&, const std::string&, const arma::Mat<double>&,
                           const Sequences&, std::size_t);
template void drop(const Pass<float>&, arma::Mat<float>&, const arma::Mat<float>&);
template void drop(const Pass<double>&, arma::Mat<double>&, const arma::Mat<double>&);
template void add_dropped(const Pass<float>&, arma::Mat<float>&, const arma::Mat<float>&,
                          const arma::Mat<float>&);
template void add_dropped(const Pass<double>&, arma::Mat<double>&, const arma::Mat<double>&,
                          const arma::Mat<double>&);

} // namespace tfx
