// Properties of weights and outputs of attention.

#include "lessons/attention_properties.hpp"

#include "lessons/measure.hpp"

#include <algorithm>
#include <cmath>

namespace tfx {

namespace {

// Weights of shape (…, n_q, n_k), outputs of as many rows as there are queries.
std::optional<Measured> shapes(const Lesson&, const LessonInput& input, const Computation& compute) {
  const Trace t = compute(input);
  if (!t.has("weights") || !t.has("Q") || !t.has("K")) return {};
  const auto rows = [&](const std::string& name) { return t[name].shape[t[name].rank() - 2]; };
  const Shape& weights = t["weights"].shape;
  const bool fits = weights.size() >= 2 && weights[weights.size() - 2] == rows("Q") &&
                    weights.back() == rows("K") && (!t.has("output") || rows("output") == rows("Q"));
  return Measured{fits, fits ? 0.0 : 1.0};
}

// Largest |Σ row − 1| of rows that may see something.
std::optional<Measured> rows_sum_to_one(const Lesson&, const LessonInput& input, const Computation& compute) {
  const Trace t = compute(input);
  if (!t.has("weights")) return {};
  const std::vector<std::size_t> blocked =
      t.has("masked") ? blocked_rows(t["masked"]) : std::vector<std::size_t>{};
  const Tensor& W = t["weights"];
  const std::size_t n_k = W.shape.back();
  double worst = 0;
  for (std::size_t row = 0; row < W.size() / n_k; ++row) {
    if (std::ranges::count(blocked, row)) continue;
    double sum = 0;
    for (std::size_t j = 0; j < n_k; ++j) sum += W.data[row * n_k + j];
    worst = std::max(worst, std::abs(sum - 1));
  }
  return Measured{worst <= rounding * static_cast<double>(n_k), worst};
}

} // namespace

std::vector<Property> attention_properties() {
  return {{"shapes", shapes}, {"rows_sum_to_one", rows_sum_to_one}};
}

} // namespace tfx
