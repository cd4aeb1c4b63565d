#include "parity/recorder.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tfx {

template <class Real>
void ActivationRecorder<Real>::report(const std::string& name, const StridedView<Real>& value) {
  Tensor tensor = to_tensor(value);
  activations_.push_back({name, tensor.shape, statistics_of(tensor)});
  if (name.ends_with(".weights")) add_rows(tensor);
  if (keep_(name)) kept_.emplace_back(name, std::move(tensor));
}

template <class Real>
void ActivationRecorder<Real>::add_rows(const Tensor& weights) {
  const std::size_t width = weights.shape.back();
  for (auto row = weights.data.begin(); row != weights.data.end();
       row += static_cast<std::ptrdiff_t>(width)) {
    const double sum = std::accumulate(row, row + static_cast<std::ptrdiff_t>(width), 0.0);
    if (sum == 0)
      ++fully_masked_rows_;
    else
      row_sum_error_ = std::isnan(sum) ? sum : std::max(std::abs(sum - 1), row_sum_error_);
  }
}

template class ActivationRecorder<float>;
template class ActivationRecorder<double>;

} // namespace tfx
