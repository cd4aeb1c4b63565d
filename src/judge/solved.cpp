#include "judge/solved.hpp"

#include "core/number.hpp"
#include "core/tensor.hpp"
#include "page/formulas.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace tfx {

namespace {

// The number has the rounding of the cells that it is taken from.
Tolerance loosened(const Tolerance& tolerance) {
  return {20 * tolerance.relative, 100 * tolerance.of_largest};
}

Tensor softmax_of(const Tensor& like, const std::function<double(std::size_t)>& score) {
  Tensor scores(like.shape);
  for (std::size_t i = 0; i < scores.size(); ++i) scores.data[i] = score(i);
  return for_each_matrix(scores, [](const arma::mat& S) { return page::softmax(S).weights; });
}

class Solver {
public:
  Solver(const Trace& right, const Step& step, const Tensor& yours, const Tolerance& tolerance)
      : right_(right), step_(step), yours_(yours), tolerance_(loosened(tolerance)) {}

  std::optional<Observation> found() const {
    if (yours_.rank() >= 2 && step_.name == "weights") {
      if (auto one = divisor()) return one;
      if (auto one = behind_mask()) return one;
    }
    return combination();
  }

private:
  using Found = std::optional<Observation>;

  const Tensor* fitting(const char* name) const {
    const Step* step = right_.find(name);
    return step && step->value.shape == yours_.shape ? &step->value : nullptr;
  }

  // The two cells of one row that lie farthest apart, in the scores, of those that pass.
  std::optional<std::pair<std::size_t, std::size_t>>
  apart(const Tensor& scores, const std::function<bool(std::size_t)>& passes) const {
    const std::size_t width = yours_.shape.back();
    std::optional<std::pair<std::size_t, std::size_t>> best;
    double largest = 1e-9;
    for (std::size_t i = 0; i < yours_.size(); ++i)
      for (std::size_t j = i / width * width; j < i; ++j) {
        const double by = std::abs(scores.data[i] - scores.data[j]);
        if (passes(i) && passes(j) && by > largest) largest = by, best = {i, j};
      }
    return best;
  }

  Found divisor() const {
    const Tensor* scores = fitting("scores");
    if (!scores) return {};
    const auto open = [&](std::size_t i) { return step_.value.data[i] > 0 && yours_.data[i] > 1e-6; };
    const auto cells = apart(*scores, open);
    if (!cells) return {};
    const auto [i, j] = *cells;
    const double value = (scores->data[i] - scores->data[j]) / std::log(yours_.data[i] / yours_.data[j]);
    if (!std::isfinite(value) || value == 0) return {};
    const Tensor weights = softmax_of(yours_, [&](std::size_t k) {
      return step_.value.data[k] > 0 ? scores->data[k] / value : -std::numeric_limits<double>::infinity();
    });
    if (!equal_within(yours_, weights, tolerance_)) return {};
    return Observation{"divisor", {{"value", value}}};
  }

  // In a row with an open cell and a blocked one.
  Found behind_mask() const {
    const Tensor *scaled = fitting("scaled"), *masked = fitting("masked");
    if (!scaled || !masked) return {};
    const std::size_t width = yours_.shape.back();
    const auto blocked = [&](std::size_t k) { return std::isinf(masked->data[k]); };
    for (std::size_t i = 0; i < yours_.size(); ++i)
      for (std::size_t j = i / width * width; j < (i / width + 1) * width; ++j) {
        if (blocked(i) || !blocked(j) || yours_.data[i] < 1e-6 || yours_.data[j] <= 0) continue;
        const double filled = std::log(yours_.data[j] / yours_.data[i]) + scaled->data[i];
        const double added = filled - scaled->data[j];
        if (std::abs(added) < 1e-9) return {}; // no mask at all
        if (equal_within(
                yours_,
                softmax_of(yours_, [&](std::size_t k) { return scaled->data[k] + (blocked(k) ? added : 0); }),
                tolerance_))
          return Observation{"added_number", {{"value", added}}};
        if (equal_within(
                yours_,
                softmax_of(yours_, [&](std::size_t k) { return blocked(k) ? filled : scaled->data[k]; }),
                tolerance_))
          return Observation{"filled_number", {{"value", filled}}};
        return {};
      }
    return {};
  }

  Found combination() const {
    if (yours_.size() < 4) return {};
    const Operation& operation = step_.operation;
    if (operation.is(op::add) && operation.inputs.size() == 2)
      if (auto sum = sum_of(right_.step_named(operation.inputs[0]), right_.step_named(operation.inputs[1])))
        return sum;
    for (const Step& other : right_.steps) {
      if (other.name == step_.name) break;
      if (auto sum = sum_of(step_, other)) return sum;
    }
    return {};
  }

  // "0.5·X"; "X" once.
  static std::string times(double factor, const std::string& name) {
    return std::abs(factor - 1) < 1e-9 ? name : format_number(factor, 6) + "·" + name;
  }

  // yours = a·A + b·B by least squares, which has to hold in every cell.
  Found sum_of(const Step& first, const Step& second) const {
    const std::vector<double>&A = first.value.data, &B = second.value.data, &y = yours_.data;
    if (first.value.shape != yours_.shape || second.value.shape != yours_.shape) return {};
    double aa = 0, ab = 0, bb = 0, ay = 0, by = 0;
    for (std::size_t i = 0; i < y.size(); ++i)
      aa += A[i] * A[i], ab += A[i] * B[i], bb += B[i] * B[i], ay += A[i] * y[i], by += B[i] * y[i];
    const double determinant = aa * bb - ab * ab;
    if (!(std::abs(determinant) > 1e-6 * aa * bb)) return {};
    const double a = (ay * bb - by * ab) / determinant, b = (by * aa - ay * ab) / determinant;
    Tensor sum(yours_.shape);
    for (std::size_t i = 0; i < y.size(); ++i) sum.data[i] = a * A[i] + b * B[i];
    if (std::abs(a) < 1e-9 || std::abs(b) < 1e-9 || !equal_within(yours_, sum, tolerance_)) return {};
    const std::string sum_text =
        times(a, first.name) + (b < 0 ? " − " : " + ") + times(std::abs(b), second.name);
    return Observation{"combination", {{"formula", sum_text}}};
  }

  const Trace& right_;
  const Step& step_;
  const Tensor& yours_;
  Tolerance tolerance_;
};

} // namespace

std::optional<Observation> solved(const Trace& right, const Step& step, const Tensor& yours,
                                  const Tolerance& tolerance) {
  return Solver(right, step, yours, tolerance).found();
}

} // namespace tfx
