#include "support/evaluator.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace tfx {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// One step's operation at one index, and the numbers that it reads.
struct Cell {
  const Trace& trace;
  const How& how;
  const Shape& shape; ///< of the result
  const Index& index;

  std::size_t row() const { return index[index.size() - 2]; }
  std::size_t column() const { return index[index.size() - 1]; }
  const Tensor& input(std::size_t i) const { return trace[how.inputs[i]]; }
  std::size_t width(std::size_t i = 0) const { return input(i).shape.back(); }
};

// The number of `t` at the last `rank` places of `index`, whose last two are replaced by row and column. Axes
// align at the right; an axis of extent 1 stands for every index.
double number_at(const Tensor& t, const Index& index, std::size_t row, std::size_t column) {
  std::size_t offset = 0;
  const std::size_t rank = t.shape.size();
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const std::size_t from_end = rank - axis;
    std::size_t place = 0;
    if (from_end == 1)
      place = column;
    else if (from_end == 2)
      place = row;
    else
      place = index[index.size() - from_end];
    if (t.shape[axis] == 1) place = 0;
    offset = offset * t.shape[axis] + place;
  }
  return t.data[offset];
}

double number(const Cell& c, std::size_t input) {
  return number_at(c.input(input), c.index, c.row(), c.column());
}
double in_row(const Cell& c, std::size_t k) {
  return number_at(c.input(0), c.index, c.row(), k);
}

double matmul(const Cell& c) {
  double sum = 0;
  for (std::size_t k = 0; k < c.width(); ++k)
    sum += in_row(c, k) * number_at(c.input(1), c.index, k, c.column());
  return c.how.inputs.size() == 3 ? sum + c.input(2).data[c.column()] : sum;
}

double matmul_transposed(const Cell& c) {
  double sum = 0;
  for (std::size_t k = 0; k < c.width(); ++k)
    sum += in_row(c, k) * number_at(c.input(1), c.index, c.column(), k);
  return sum;
}

double weighted_sum(const Cell& c) {
  double sum = 0;
  for (std::size_t k = 0; k < c.width(); ++k)
    if (const double weight = in_row(c, k); weight != 0)
      sum += weight * number_at(c.input(1), c.index, k, c.column());
  return sum;
}

double add(const Cell& c) {
  const double a = number(c, 0), b = number(c, 1);
  if (c.how.constant_text == "float32")
    return static_cast<double>(static_cast<float>(a) + static_cast<float>(b));
  return a + b;
}

double subtract(const Cell& c) {
  return number(c, 0) - number(c, 1);
}
double divide_by(const Cell& c) {
  return number(c, 0) / c.how.constant;
}
double exponential(const Cell& c) {
  return std::exp(number(c, 0));
}

double largest_in_row(const Cell& c) {
  double largest = -infinity;
  for (std::size_t k = 0; k < c.width(); ++k)
    if (in_row(c, k) > largest) largest = in_row(c, k);
  return largest;
}

double row_max(const Cell& c) {
  const double largest = largest_in_row(c);
  return largest == -infinity ? 0 : largest;
}

double row_sum(const Cell& c) {
  double sum = 0;
  for (std::size_t k = 0; k < c.width(); ++k) sum += in_row(c, k);
  return sum;
}

double normalize(const Cell& c) {
  return number(c, 1) == 0 ? c.how.constant : number(c, 0) / number(c, 1);
}

double softmax(const Cell& c) {
  const double largest = largest_in_row(c);
  if (largest == -infinity) return c.how.constant;
  double sum = 0;
  for (std::size_t k = 0; k < c.width(); ++k) sum += std::exp(in_row(c, k) - largest);
  return std::exp(in_row(c, c.column()) - largest) / sum;
}

double mask_fill(const Cell& c) {
  return number(c, 1) == 0 ? -infinity : number(c, 0);
}
double causal_mask(const Cell& c) {
  return c.column() <= c.row() ? 1 : 0;
}

double padding_mask(const Cell& c) {
  return static_cast<double>(c.column()) < static_cast<double>(c.shape.back()) - c.how.constant ? 1 : 0;
}

double both(const Cell& c) {
  for (std::size_t i = 0; i < c.how.inputs.size(); ++i)
    if (number(c, i) != 1) return 0;
  return 1;
}

double gather(const Cell& c) {
  const Tensor &table = c.input(0), &ids = c.input(1);
  std::size_t position = 0;
  for (std::size_t axis = 0; axis < ids.shape.size(); ++axis)
    position = position * ids.shape[axis] + c.index[axis];
  return table.data[static_cast<std::size_t>(ids.data[position]) * table.shape[1] + c.column()];
}

// (…, h, n, d): head, row and column are the last three places of the index.
double split_heads(const Cell& c) {
  const std::size_t head = c.index[c.index.size() - 3], d = c.shape.back();
  Index token(c.index);
  token.erase(token.end() - 3);
  return number_at(c.input(0), token, c.row(), head * d + c.column());
}

double merge_heads(const Cell& c) {
  const std::size_t d = c.width();
  Index with_head(c.index);
  with_head.insert(with_head.end() - 2, c.column() / d);
  return number_at(c.input(0), with_head, c.row(), c.column() % d);
}

double first_max(const Cell& c) {
  const double mine = in_row(c, c.column());
  for (std::size_t k = 0; k < c.width(); ++k)
    if (in_row(c, k) > mine || (k < c.column() && in_row(c, k) == mine)) return 0;
  return 1;
}

// (…, n): the row is the last place of the index.
double row_norm(const Cell& c) {
  Index padded(c.index);
  padded.push_back(0);
  double sum = 0;
  for (std::size_t k = 0; k < c.width(); ++k) {
    const double x = number_at(c.input(0), padded, c.column(), k);
    sum += x * x;
  }
  return std::sqrt(sum);
}

double cosine(const Cell& c) {
  Index of_norms(c.index.begin(), c.index.end() - 1);
  const std::size_t before = of_norms.size() > 1 ? of_norms[of_norms.size() - 2] : 0;
  const double a = number_at(c.input(1), of_norms, before, c.row());
  const double b = number_at(c.input(1), of_norms, before, c.column());
  return a == 0 || b == 0 ? 0 : number(c, 0) / (a * b);
}

double distance(const Cell& c) {
  double sum = 0;
  for (std::size_t k = 0; k < c.width(); ++k) {
    const double step =
        number_at(c.input(0), c.index, c.row(), k) - number_at(c.input(0), c.index, c.column(), k);
    sum += step * step;
  }
  return std::sqrt(sum);
}

double entropy(const Cell& c) {
  double sum = 0;
  for (std::size_t k = 0; k < c.width(); ++k)
    if (const double w = in_row(c, k); w != 0) sum -= w * std::log(w);
  return sum;
}

double row_mean(const Cell& c) {
  return row_sum(c) / static_cast<double>(c.width());
}

double squares_from_mean(const Cell& c) {
  const double mean = row_mean(c);
  double sum = 0;
  for (std::size_t k = 0; k < c.width(); ++k) sum += (in_row(c, k) - mean) * (in_row(c, k) - mean);
  return sum;
}

double row_variance(const Cell& c) {
  return squares_from_mean(c) / static_cast<double>(c.width());
}
double row_std(const Cell& c) {
  return std::sqrt(squares_from_mean(c) / static_cast<double>(c.width() - 1));
}
double square_root(const Cell& c) {
  return std::sqrt(number(c, 0));
}
double add_constant(const Cell& c) {
  return number(c, 0) + c.how.constant;
}
double multiply_by(const Cell& c) {
  return number(c, 0) * c.how.constant;
}
double multiply(const Cell& c) {
  return number(c, 0) * number(c, 1);
}
double relu(const Cell& c) {
  return number(c, 0) < 0 ? 0 : number(c, 0);
}

double log_softmax(const Cell& c) {
  const double largest = largest_in_row(c);
  double sum = 0;
  for (std::size_t k = 0; k < c.width(); ++k) sum += std::exp(in_row(c, k) - largest);
  return in_row(c, c.column()) - largest - std::log(sum);
}

double angle(const Cell& c) {
  const double pair = static_cast<double>(c.column() / 2);
  return c.input(0).data[c.row()] / std::pow(10000.0, 2 * pair / c.how.constant);
}

double sin_cos(const Cell& c) {
  return c.column() % 2 == 0 ? std::sin(number(c, 0)) : std::cos(number(c, 0));
}

double one_hot(const Cell& c) {
  const Tensor& ids = c.input(1);
  std::size_t position = 0;
  for (std::size_t axis = 0; axis < ids.shape.size(); ++axis)
    position = position * ids.shape[axis] + c.index[axis];
  return ids.data[position] == static_cast<double>(c.column()) ? 1 : 0;
}

double given(const Trace&, const Step& step, const Index& index) {
  std::size_t position = 0;
  for (std::size_t axis = 0; axis < index.size(); ++axis)
    position = position * step.value.shape[axis] + index[axis];
  return step.value.data[position];
}

} // namespace

double evaluate(const Trace& trace, const Step& step, const Index& index) {
  const Cell c{trace, step.how, step.value.shape, index};
  switch (step.how.op) {
  case Op::given: return given(trace, step, index);
  case Op::matmul: return matmul(c);
  case Op::matmul_transposed: return matmul_transposed(c);
  case Op::weighted_sum: return weighted_sum(c);
  case Op::add: return add(c);
  case Op::subtract: return subtract(c);
  case Op::divide_by: return divide_by(c);
  case Op::exp: return exponential(c);
  case Op::row_max: return row_max(c);
  case Op::row_sum: return row_sum(c);
  case Op::normalize: return normalize(c);
  case Op::softmax: return softmax(c);
  case Op::mask_fill: return mask_fill(c);
  case Op::causal_mask: return causal_mask(c);
  case Op::padding_mask: return padding_mask(c);
  case Op::both: return both(c);
  case Op::gather: return gather(c);
  case Op::split_heads: return split_heads(c);
  case Op::merge_heads: return merge_heads(c);
  case Op::first_max: return first_max(c);
  case Op::row_norm: return row_norm(c);
  case Op::cosine: return cosine(c);
  case Op::distance: return distance(c);
  case Op::entropy: return entropy(c);
  case Op::row_mean: return row_mean(c);
  case Op::row_variance: return row_variance(c);
  case Op::row_std: return row_std(c);
  case Op::sqrt: return square_root(c);
  case Op::add_constant: return add_constant(c);
  case Op::multiply_by: return multiply_by(c);
  case Op::multiply: return multiply(c);
  case Op::relu: return relu(c);
  case Op::log_softmax: return log_softmax(c);
  case Op::angle: return angle(c);
  case Op::sin_cos: return sin_cos(c);
  case Op::one_hot: return one_hot(c);
  }
  throw std::logic_error("an operation without an evaluation");
}

} // namespace tfx
