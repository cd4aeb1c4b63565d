#include "support/evaluator.hpp"

#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>

namespace tfx {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// One step's operation at one index, and the numbers that it reads.
struct Cell {
  const Trace& trace;
  const Operation& operation;
  const Shape& shape; ///< of the result
  const Index& index;

  std::size_t row() const { return index.size() < 2 ? 0 : index[index.size() - 2]; }
  std::size_t column() const { return index.empty() ? 0 : index[index.size() - 1]; }
  const Tensor& input(std::size_t i) const { return trace[operation.inputs[i]]; }
  std::size_t width(std::size_t i = 0) const { return input(i).shape.back(); }
  std::size_t width_of_result() const { return shape.back(); }
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
  return c.operation.inputs.size() == 3 ? sum + c.input(2).data[c.column()] : sum;
}

double matmul_transposed(const Cell& c) {
  double sum = 0;
  for (std::size_t k = 0; k < c.width(); ++k)
    sum += in_row(c, k) * number_at(c.input(1), c.index, c.column(), k);
  return c.operation.inputs.size() == 3 ? sum + c.input(2).data[c.column()] : sum;
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
  if (c.operation.constant_text == "float32")
    return static_cast<double>(static_cast<float>(a) + static_cast<float>(b));
  return a + b;
}

double moving_average(const Cell& c) {
  return number(c, 0) * c.operation.constant + number(c, 1) * (1 - c.operation.constant);
}
double moving_average_of_squares(const Cell& c) {
  const double now = number(c, 1);
  return number(c, 0) * c.operation.constant + now * now * (1 - c.operation.constant);
}
double adam_direction(const Cell& c) {
  return number(c, 0) / (std::sqrt(number(c, 1)) + c.operation.constant);
}
// Whether cell k of the row comes before this one where the largest comes first.
bool comes_before(const Cell& c, std::size_t k) {
  const double own = number(c, 0), other = in_row(c, k);
  return other == own ? k < c.column() : other > own;
}
double top_k(const Cell& c) {
  double rank = 1;
  for (std::size_t k = 0; k < c.width(); ++k) rank += comes_before(c, k);
  return rank <= c.operation.constant;
}
double mass_before(const Cell& c) {
  double sum = 0;
  for (std::size_t k = 0; k < c.width(); ++k)
    if (comes_before(c, k)) sum += in_row(c, k);
  return sum;
}
double below(const Cell& c) {
  return number(c, 0) < c.operation.constant;
}
double draw(const Cell& c) {
  const double p = number(c, 0), begin = number(c, 1), u = c.input(2).data[0];
  return p > 0 && begin <= u && u < begin + p;
}
double subtract(const Cell& c) {
  return number(c, 0) - number(c, 1);
}
double divide_by(const Cell& c) {
  return number(c, 0) / c.operation.constant;
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
  return number(c, 1) == 0 ? c.operation.constant : number(c, 0) / number(c, 1);
}

double softmax(const Cell& c) {
  const double largest = largest_in_row(c);
  if (largest == -infinity) return c.operation.constant;
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

double causal_mask_lower_right(const Cell& c) { // counted from the end
  const std::size_t n_q = c.shape[c.shape.size() - 2], n_k = c.shape.back();
  return n_k - c.column() >= n_q - c.row() ? 1 : 0;
}

double padding_mask(const Cell& c) {
  return static_cast<double>(c.column()) < static_cast<double>(c.shape.back()) - c.operation.constant ? 1 : 0;
}

double both(const Cell& c) {
  for (std::size_t i = 0; i < c.operation.inputs.size(); ++i)
    if (number(c, i) != 1) return 0;
  return 1;
}

double gather(const Cell& c) {
  const Tensor &table = c.input(0), &ids = c.input(1);
  std::size_t position = 0;
  for (std::size_t axis = 0; axis < ids.shape.size(); ++axis)
    position = position * ids.shape[axis] + c.index[axis];
  return table.data[static_cast<std::size_t>(ids.data[position]) * table.shape.back() + c.column()];
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

double distance_of(const Cell& c) {
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
  return number(c, 0) + c.operation.constant;
}
double multiply_by(const Cell& c) {
  return number(c, 0) * c.operation.constant;
}
double multiply(const Cell& c) {
  return number(c, 0) * number(c, 1);
}
double relu(const Cell& c) {
  return number(c, 0) < 0 ? 0 : number(c, 0);
}

// The tail of erfc, where the formula has 1 + erf.
double below(double x) {
  return std::erfc(-x / std::sqrt(2.0)) / 2;
}
double gelu(const Cell& c) {
  return number(c, 0) * below(number(c, 0));
}
double silu(const Cell& c) {
  return number(c, 0) * (1 / (1 + std::exp(-number(c, 0))));
}
double gelu_gradient(const Cell& c) {
  const double x = number(c, 1), pi = std::acos(-1.0);
  return number(c, 0) * (below(x) + x * std::exp(-x * x / 2) / std::sqrt(2 * pi));
}
// x·(1 + tanh(u))/2 is x·σ(2u), and its slope σ(2u)·(1 + x·(1 − σ(2u))·2u′).
double twice_u(double x) {
  return std::sqrt(8 / std::acos(-1.0)) * (x + 0.044715 * x * x * x);
}
double gelu_tanh(const Cell& c) {
  const double x = number(c, 0);
  return x / (1 + std::exp(-twice_u(x)));
}
double gelu_tanh_gradient(const Cell& c) {
  const double x = number(c, 1), e = std::exp(-twice_u(x)),
               slope = std::sqrt(8 / std::acos(-1.0)) * (1 + 0.134145 * x * x);
  return number(c, 0) * (1 + e + x * e * slope) / ((1 + e) * (1 + e));
}
double squared_relu(const Cell& c) {
  return number(c, 0) > 0 ? number(c, 0) * number(c, 0) : 0;
}
double squared_relu_gradient(const Cell& c) {
  return number(c, 1) > 0 ? number(c, 0) * (number(c, 1) + number(c, 1)) : 0;
}
double silu_gradient(const Cell& c) {
  const double x = number(c, 1), e = std::exp(-x);
  return number(c, 0) * (1 + e + x * e) / ((1 + e) * (1 + e));
}

double log_softmax(const Cell& c) {
  const double largest = largest_in_row(c);
  double sum = 0;
  for (std::size_t k = 0; k < c.width(); ++k) sum += std::exp(in_row(c, k) - largest);
  return in_row(c, c.column()) - largest - std::log(sum);
}

double angle(const Cell& c) {
  const double pair = static_cast<double>(c.column() / 2);
  return c.input(0).data[c.row()] / std::pow(10000.0, 2 * pair / c.operation.constant);
}

double sin_cos(const Cell& c) {
  return c.column() % 2 == 0 ? std::sin(number(c, 0)) : std::cos(number(c, 0));
}

double causal_window(const Cell& c) {
  return c.column() <= c.row() &&
         static_cast<double>(c.row()) < static_cast<double>(c.column()) + c.operation.constant;
}

double rotary_angle(const Cell& c) {
  return c.input(0).data[c.row()] *
         std::pow(c.operation.constant,
                  -static_cast<double>(c.column()) / static_cast<double>(c.width_of_result()));
}

// As the pairs are told: (0, 1), (2, 3), …, or (0, w/2), (1, w/2 + 1), ….
double turned_cell(const Cell& c) {
  const auto apart = static_cast<std::ptrdiff_t>(c.operation.constant);
  const std::size_t step = static_cast<std::size_t>(apart < 0 ? -apart : apart);
  std::size_t pair = 0;
  for (std::size_t a = 0; a < c.width(); ++a) {
    if (a % (2 * step) >= step) continue;
    const std::size_t b = a + step;
    if (c.column() == a || c.column() == b) {
      double angle = number_at(c.input(1), c.index, c.row(), pair);
      if (apart < 0) angle = -angle;
      return c.column() == a ? in_row(c, a) * std::cos(angle) - in_row(c, b) * std::sin(angle)
                             : in_row(c, a) * std::sin(angle) + in_row(c, b) * std::cos(angle);
    }
    ++pair;
  }
  return std::nan("");
}

// A cell of head `head` of the first input, elsewhere as the result's.
double of_head(const Cell& c, std::size_t head) {
  Index at = c.index;
  at[at.size() - 3] = head;
  return number_at(c.input(0), at, c.row(), c.column());
}
double repeat_heads(const Cell& c) {
  return of_head(c, c.index[c.index.size() - 3] / static_cast<std::size_t>(c.operation.constant));
}
double sum_heads(const Cell& c) {
  const auto group = static_cast<std::size_t>(c.operation.constant);
  double sum = 0;
  for (std::size_t k = group; k-- > 0;) sum += of_head(c, c.index[c.index.size() - 3] * group + k);
  return sum;
}

double pair_counts(const Cell& c) {
  const Tensor &pieces = c.input(0), &counts = c.input(1);
  double sum = 0;
  for (std::size_t i = 0; i + 1 < pieces.size(); ++i)
    if ((i + 1) % pieces.shape[1] != 0 && pieces.data[i] == static_cast<double>(c.row()) &&
        pieces.data[i + 1] == static_cast<double>(c.column()))
      sum += counts.data[i / pieces.shape[1]];
  return sum;
}
double most_frequent(const Cell& c) {
  const Tensor& counts = c.input(0);
  std::size_t best = counts.size();
  while (best-- > 0) {
    bool first = true;
    for (std::size_t i = 0; i < counts.size(); ++i)
      first = first && (i < best ? counts.data[i] < counts.data[best] : counts.data[i] <= counts.data[best]);
    if (first) break;
  }
  return static_cast<double>(c.column() == 0 ? best / counts.shape[1] : best % counts.shape[1]);
}
// Written from the left, read from a list that grows shorter.
double merge_pair(const Cell& c) {
  const Tensor &pieces = c.input(0), &pair = c.input(1);
  std::vector<double> made;
  for (std::size_t j = 0; j < pieces.shape[1]; ++j) {
    const double symbol = pieces.data[c.row() * pieces.shape[1] + j];
    const bool open = !made.empty() && made.back() == pair.data[0];
    if (open && symbol == pair.data[1])
      made.back() = c.operation.constant;
    else
      made.push_back(symbol);
  }
  return c.column() < made.size() ? made[c.column()] : -1;
}
double stacked(const Cell& c) {
  std::size_t row = c.row(), i = 0;
  while (row >= c.input(i).shape[0]) row -= c.input(i++).shape[0];
  return c.input(i).data[row * c.width(i) + c.column()];
}

double induction_score(const Cell& c) {
  const Tensor &weights = c.input(0), &ids = c.input(1);
  const std::size_t n = ids.size(), head = c.index.empty() ? 0 : c.index.back();
  double sum = 0, count = 0;
  for (std::size_t q = 0; q < n; ++q) {
    std::size_t behind = 0; // the last place whose token this is, and one on
    for (std::size_t k = 0; k < q; ++k)
      if (ids.data[k] == ids.data[q]) behind = k + 1;
    if (behind > 0) sum += weights.data[(head * n + q) * n + behind], ++count;
  }
  return count > 0 ? sum / count : 0;
}

double one_hot(const Cell& c) {
  const Tensor& ids = c.input(1);
  std::size_t position = 0;
  for (std::size_t axis = 0; axis < ids.shape.size(); ++axis)
    position = position * ids.shape[axis] + c.index[axis];
  return ids.data[position] == static_cast<double>(c.column()) ? 1 : 0;
}

// Whether a cell of a tensor at `from` falls on the result's cell at `to`: axes align at the right, and where
// either has extent 1 they meet.
bool meets(const Shape& from_shape, const Index& from, const Shape& to_shape, const Index& to) {
  for (std::size_t back = 1; back <= from.size() && back <= to.size(); ++back) {
    if (from_shape[from.size() - back] == 1 || to_shape[to.size() - back] == 1) continue;
    if (from[from.size() - back] != to[to.size() - back]) return false;
  }
  return true;
}

// The number of `t` that an index of another tensor falls on.
double falling(const Tensor& t, const Index& index) {
  std::size_t offset = 0;
  for (std::size_t axis = 0; axis < t.shape.size(); ++axis)
    offset = offset * t.shape[axis] + (t.shape[axis] == 1 ? 0 : index[index.size() + axis - t.shape.size()]);
  return t.data[offset];
}

double sum_over(const Cell& c) {
  const Tensor& A = c.input(0);
  double sum = 0;
  for (std::size_t i = 0; i < A.data.size(); ++i) {
    const Index at = index_of(A.shape, i);
    if (!meets(A.shape, at, c.shape, c.index)) continue;
    sum += c.operation.inputs.size() == 2 ? A.data[i] * falling(c.input(1), at) : A.data[i];
  }
  return c.operation.constant * sum;
}

double transposed_matmul(const Cell& c) {
  const Tensor &A = c.input(0), &B = c.input(1);
  const Tensor& deep = A.shape.size() >= B.shape.size() ? A : B;
  Shape stack(deep.shape.begin(), deep.shape.end() - 2);
  for (const Tensor* t : {&A, &B})
    for (std::size_t back = 3; back <= t->shape.size(); ++back)
      stack[stack.size() + 2 - back] =
          std::max(stack[stack.size() + 2 - back], t->shape[t->shape.size() - back]);
  std::size_t count = 1;
  for (const std::size_t extent : stack) count *= extent;
  const Shape own(c.shape.begin(), c.shape.end() - 2);
  const Index mine(c.index.begin(), c.index.end() - 2);
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    Index at = index_of(stack, i);
    if (!meets(stack, at, own, mine)) continue;
    at.resize(at.size() + 2);
    for (std::size_t k = 0; k < A.shape[A.shape.size() - 2]; ++k)
      sum += number_at(A, at, k, c.row()) * number_at(B, at, k, c.column());
  }
  return sum;
}

double scatter(const Cell& c) {
  const Tensor &A = c.input(0), &ids = c.input(1);
  double sum = 0;
  for (std::size_t i = 0; i < ids.data.size(); ++i)
    if (ids.data[i] == static_cast<double>(c.row())) sum += A.data[i * c.shape.back() + c.column()];
  return sum;
}

double mean_of_cells(const Cell& c) {
  double sum = 0;
  for (std::size_t i = 0; i < c.operation.inputs.size(); ++i) {
    double one = 0;
    for (const double x : c.input(i).data) one += x;
    sum += one / static_cast<double>(c.input(i).data.size());
  }
  return sum;
}

double total(const Cell& c) {
  double sum = 0;
  for (std::size_t i = 0; i < c.operation.inputs.size(); ++i) sum += number(c, i);
  return sum;
}

double divergence(const Cell& c) {
  double sum = 0;
  for (std::size_t i = 0; i < c.input(0).data.size(); ++i)
    if (const double share = c.input(1).data[i]; share != 0)
      sum += share * (std::log(share) - c.input(0).data[i]);
  return sum / c.operation.constant;
}

double smoothed_target(const Cell& c) {
  const Tensor& labels = c.input(0);
  std::size_t position = 0;
  for (std::size_t axis = 0; axis < labels.shape.size(); ++axis)
    position = position * labels.shape[axis] + c.index[axis];
  const double label = labels.data[position], pad = c.input(1).data[0],
               column = static_cast<double>(c.column());
  if (label == pad || column == pad) return 0;
  const double others = static_cast<double>(c.shape.back()) - (pad < 0 ? 1 : 2);
  return label == column ? 1 - c.operation.constant : c.operation.constant / others;
}

double second_in_row(const Cell& c, std::size_t k) {
  return number_at(c.input(1), c.index, c.row(), k);
}

double softmax_gradient(const Cell& c) {
  if (number(c, 1) == 0) return 0;
  double sum = 0;
  for (std::size_t k = 0; k < c.width(); ++k)
    if (second_in_row(c, k) != 0) sum += in_row(c, k) * second_in_row(c, k);
  return number(c, 1) * (number(c, 0) - sum);
}

double log_softmax_gradient(const Cell& c) {
  return number(c, 0) - std::exp(number(c, 1)) * row_sum(c);
}

double entropy_gradient(const Cell& c) {
  return number(c, 1) == 0 ? 0 : -number(c, 0) * (std::log(number(c, 1)) + 1);
}

double divisor_gradient(const Cell& c) {
  if (number(c, 2) == 0) return 0;
  double sum = 0;
  for (std::size_t k = 0; k < c.width(); ++k) sum -= in_row(c, k) * second_in_row(c, k);
  return sum / number(c, 2);
}

double from_mean(const Cell& c) {
  double sum = 0;
  for (std::size_t k = 0; k < c.width(1); ++k) sum += second_in_row(c, k);
  return number(c, 1) - sum / static_cast<double>(c.width(1));
}

double variance_gradient(const Cell& c) {
  return 2 * from_mean(c) * number(c, 0) / static_cast<double>(c.width(1));
}

double std_gradient(const Cell& c) {
  return number(c, 2) == 0
             ? 0
             : from_mean(c) * number(c, 0) / (static_cast<double>(c.width(1) - 1) * number(c, 2));
}

double given(const Trace&, const Step& step, const Index& index) {
  std::size_t position = 0;
  for (std::size_t axis = 0; axis < index.size(); ++axis)
    position = position * step.value.shape[axis] + index[axis];
  return step.value.data[position];
}

} // namespace

double evaluate(const Trace& trace, const Step& step, const Index& index) {
  const Cell c{trace, step.operation, step.value.shape, index};
  if (step.operation.is(op::given)) return given(trace, step, index);
  static const std::map<const Op*, double (*)(const Cell&)> evaluations = {
      {&op::matmul, matmul},
      {&op::matmul_transposed, matmul_transposed},
      {&op::weighted_sum, weighted_sum},
      {&op::add, add},
      {&op::subtract, subtract},
      {&op::divide_by, divide_by},
      {&op::exp, exponential},
      {&op::row_max, row_max},
      {&op::row_sum, row_sum},
      {&op::divide, normalize},
      {&op::softmax, softmax},
      {&op::mask_fill, mask_fill},
      {&op::causal_mask, causal_mask},
      {&op::causal_mask_lower_right, causal_mask_lower_right},
      {&op::causal_window, causal_window},
      {&op::padding_mask, padding_mask},
      {&op::both, both},
      {&op::gather, gather},
      {&op::split_heads, split_heads},
      {&op::merge_heads, merge_heads},
      {&op::repeat_heads, repeat_heads},
      {&op::sum_heads, sum_heads},
      {&op::first_max, first_max},
      {&op::row_norm, row_norm},
      {&op::cosine, cosine},
      {&op::distance, distance_of},
      {&op::entropy, entropy},
      {&op::row_mean, row_mean},
      {&op::row_variance, row_variance},
      {&op::row_std, row_std},
      {&op::sqrt, square_root},
      {&op::add_constant, add_constant},
      {&op::moving_average, moving_average},
      {&op::moving_average_of_squares, moving_average_of_squares},
      {&op::adam_direction, adam_direction},
      {&op::top_k, top_k},
      {&op::mass_before, mass_before},
      {&op::below, below},
      {&op::draw, draw},
      {&op::multiply_by, multiply_by},
      {&op::multiply, multiply},
      {&op::relu, relu},
      {&op::gelu, gelu},
      {&op::silu, silu},
      {&op::squared_relu, squared_relu},
      {&op::gelu_tanh, gelu_tanh},
      {&op::gelu_gradient, gelu_gradient},
      {&op::squared_relu_gradient, squared_relu_gradient},
      {&op::gelu_tanh_gradient, gelu_tanh_gradient},
      {&op::silu_gradient, silu_gradient},
      {&op::log_softmax, log_softmax},
      {&op::angle, angle},
      {&op::sin_cos, sin_cos},
      {&op::rotary_angle, rotary_angle},
      {&op::rotate, turned_cell},
      {&op::one_hot, one_hot},
      {&op::pair_counts, pair_counts},
      {&op::most_frequent, most_frequent},
      {&op::merge_pair, merge_pair},
      {&op::stacked, stacked},
      {&op::induction_score, induction_score},
      {&op::smoothed_target, smoothed_target},
      {&op::kl_divergence, divergence},
      {&op::mean, mean_of_cells},
      {&op::uniform, [](const Cell& cell) -> double { return cell.operation.constant; }},
      {&op::total, total},
      {&op::sum_over, sum_over},
      {&op::transposed_matmul, transposed_matmul},
      {&op::mask_keep, [](const Cell& cell) -> double { return number(cell, 1) == 0 ? 0 : number(cell, 0); }},
      {&op::scatter, scatter},
      {&op::softmax_gradient, softmax_gradient},
      {&op::log_softmax_gradient, log_softmax_gradient},
      {&op::entropy_gradient, entropy_gradient},
      {&op::relu_gradient,
       [](const Cell& cell) -> double { return number(cell, 1) > 0 ? number(cell, 0) : 0; }},
      {&op::divisor_gradient, divisor_gradient},
      {&op::sqrt_gradient,
       [](const Cell& cell) -> double { return number(cell, 0) / (2 * number(cell, 1)); }},
      {&op::variance_gradient, variance_gradient},
      {&op::std_gradient, std_gradient},
  };
  if (const auto found = evaluations.find(step.operation.kind); found != evaluations.end())
    return found->second(c);
  throw std::logic_error("an operation without an evaluation");
}

} // namespace tfx
