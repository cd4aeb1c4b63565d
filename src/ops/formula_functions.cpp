#include "ops/formula_functions.hpp"

#include "core/error.hpp"
#include "ops/shape_rule.hpp"
#include "ops/shared.hpp"
#include "page/layer_formulas.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tfx {

namespace {

using arma::mat;
using arma::uword;
using arma::vec;

std::string both(const std::vector<Operand>& of, const char* between) {
  return with_shape(of[0].text(), of[0].value.shape) + between + with_shape(of[1].text(), of[1].value.shape);
}

void require_matrices(const std::vector<Operand>& of) {
  for (const Operand& one : of)
    if (one.value.rank() < 2) refuse_shapes(with_shape(one.text(), one.value.shape), one.value.rank(), 2);
}

// A number times a tensor, or the product of matrices.
Tensor product(const std::vector<Operand>& of) {
  const Tensor &A = of[0].value, &B = of[1].value;
  if (A.rank() == 0 || B.rank() == 0) return cell_by_cell(A, B, [](double a, double b) { return a * b; });
  require_matrices(of);
  const std::size_t width = A.shape.back(), rows = B.shape[B.rank() - 2];
  if (width != rows) refuse_shapes(both(of, " · "), width, rows);
  if (stack_shape(A) != stack_shape(B)) fitting(both(of, ", "), stack_shape(A), stack_shape(B));
  return for_each_matrix(A, B, [](const mat& a, const mat& b) { return mat(a * b); });
}

Tensor selected(const std::vector<Operand>& of) {
  const Tensor &condition = of[0].value, &A = of[1].value, &B = of[2].value;
  Shape shape = condition.shape;
  for (const std::size_t k : {1, 2})
    if (of[k].value.shape != shape) shape = fitting(both({of[0], of[k]}, ", "), shape, of[k].value.shape);
  Tensor result(std::move(shape));
  BroadcastOffset c(condition.shape, result.shape), a(A.shape, result.shape), b(B.shape, result.shape);
  for (double& cell : result.data) cell = condition.data[*c] != 0 ? A.data[*a] : B.data[*b], ++c, ++a, ++b;
  return result;
}

// Matrix k of the innermost stack of h takes the place of another.
Tensor stacked(const std::vector<Operand>& of, std::size_t (*from)(std::size_t, std::size_t)) {
  const Tensor& A = of[0].value;
  if (A.rank() < 3) refuse_shapes(with_shape(of[0].text(), A.shape), A.rank(), 3);
  const std::size_t h = A.shape[A.rank() - 3];
  Tensor result = A;
  for (std::size_t i = 0; i < matrix_count(A); ++i)
    set_matrix(result, i, matrix(A, i / h * h + from(i % h, h)));
  return result;
}

// Σ over the innermost stack, in the place of each of its matrices.
Tensor stack_sum(const std::vector<Operand>& of) {
  Tensor result = stacked(of, [](std::size_t, std::size_t) { return std::size_t{0}; });
  const Tensor& A = of[0].value;
  const std::size_t h = A.shape[A.rank() - 3];
  for (std::size_t first = 0; first < matrix_count(A); first += h) {
    mat sum = matrix(A, first);
    for (std::size_t k = 1; k < h; ++k) sum += matrix(A, first + k);
    for (std::size_t k = 0; k < h; ++k) set_matrix(result, first + k, sum);
  }
  return result;
}

// With 0 in the place of one matrix of the innermost stack.
Tensor stack_without(const std::vector<Operand>& of) {
  const Tensor& A = of[0].value;
  const auto left_out = static_cast<std::size_t>(of[1].value.data[0]);
  if (A.rank() < 3 || A.shape[A.rank() - 3] <= left_out)
    refuse_shapes(with_shape(of[0].text(), A.shape), A.rank(), left_out);
  Tensor result = A;
  for (std::size_t i = left_out; i < matrix_count(A); i += A.shape[A.rank() - 3])
    set_matrix(result, i, matrix(A, i) * 0);
  return result;
}

// Heads as merge_heads(…) lays them, but dealt out: a column of each in turn.
Tensor dealt(const std::vector<Operand>& of) {
  const Tensor& A = of[0].value;
  if (A.rank() < 3) refuse_shapes(with_shape(of[0].text(), A.shape), A.rank(), 3);
  const std::size_t h = A.shape[A.rank() - 3], d = A.shape.back();
  return for_each_matrix(merge_heads(A), [&](const mat& beside) {
    mat M = beside;
    for (std::size_t c = 0; c < M.n_cols; ++c) M.col(c) = beside.col(c % h * d + c / h);
    return M;
  });
}

// (…, n, d) → (…, h, n, d/h), a column to each head in turn.
Tensor split_in_turn(const std::vector<Operand>& of) {
  require_matrices({of[0]});
  const Tensor& A = of[0].value;
  const auto h = static_cast<std::size_t>(of[1].value.data[0]);
  const std::size_t n = A.shape[A.rank() - 2], d = A.shape.back();
  if (h == 0 || d % h != 0) refuse_shapes(with_shape(of[0].text(), A.shape), d, h);
  Shape shape(A.shape.begin(), A.shape.end() - 2);
  shape.insert(shape.end(), {h, n, d / h});
  Tensor result(std::move(shape));
  for (std::size_t i = 0; i < A.size(); ++i) {
    const std::size_t stack = i / (n * d), row = i / d % n, column = i % d;
    result.data[((stack * h + column % h) * n + row) * (d / h) + column / h] = A.data[i];
  }
  return result;
}

Tensor merged(const std::vector<Operand>& of) {
  if (of[0].value.rank() < 3)
    refuse_shapes(with_shape(of[0].text(), of[0].value.shape), of[0].value.rank(), 3);
  return merge_heads(of[0].value);
}

mat shares(const mat& M) {
  return M.each_col() / vec(arma::sum(M, 1));
}

mat softmax(const mat& M) {
  return page::softmax(M).weights;
}

// Each row's largest numbers, the others 0.
mat largest(const mat& M, uword count) {
  mat kept = M;
  for (uword i = 0; i < M.n_rows; ++i) {
    const double least = arma::rowvec(arma::sort(M.row(i), "descend"))(std::min(count, M.n_cols) - 1);
    for (uword j = 0; j < M.n_cols; ++j)
      if (M(i, j) < least) kept(i, j) = 0;
  }
  return kept;
}

// Some cells of square matrices, the others 0.
Tensor kept(const std::vector<Operand>& of, bool (*is_kept)(uword, uword)) {
  require_matrices(of);
  const Tensor& A = of[0].value;
  if (A.shape[A.rank() - 2] != A.shape.back())
    refuse_shapes(with_shape(of[0].text(), A.shape), A.shape[A.rank() - 2], A.shape.back());
  return for_each_matrix(A, [&](mat M) {
    for (uword i = 0; i < M.n_rows; ++i)
      for (uword j = 0; j < M.n_cols; ++j)
        if (!is_kept(i, j)) M(i, j) = 0;
    return M;
  });
}

// Rows moved on by one, the last to the front, or back.
mat rolled(const mat& M, int by) {
  return M.n_rows > 1 ? mat(arma::shift(M, by, 0)) : M;
}

// Σ (a − b)² of every row with every row.
Tensor squared_distances(const std::vector<Operand>& of) {
  require_matrices(of);
  const Tensor &A = of[0].value, &B = of[1].value;
  if (A.shape.back() != B.shape.back()) refuse_shapes(both(of, ", "), A.shape.back(), B.shape.back());
  return for_each_matrix(A, B, [](const mat& a, const mat& b) {
    mat result(a.n_rows, b.n_rows);
    for (uword i = 0; i < a.n_rows; ++i)
      for (uword j = 0; j < b.n_rows; ++j) result(i, j) = arma::dot(a.row(i) - b.row(j), a.row(i) - b.row(j));
    return result;
  });
}

// Σ |a − b| or max |a − b| of every row with every row.
Tensor distances(const std::vector<Operand>& of, double (*length)(const arma::rowvec&)) {
  require_matrices(of);
  return for_each_matrix(of[0].value, [length](const mat& M) {
    mat result(M.n_rows, M.n_rows);
    for (uword i = 0; i < M.n_rows; ++i)
      for (uword j = 0; j < M.n_rows; ++j) result(i, j) = length(M.row(i) - M.row(j));
    return result;
  });
}

// The row of that number, from 0.
Tensor row(const std::vector<Operand>& of) {
  require_matrices({of[0]});
  const auto number = static_cast<uword>(of[1].value.data[0]);
  if (number >= matrix(of[0].value).n_rows) refuse_shapes(of[0].text(), matrix(of[0].value).n_rows, number);
  return for_each_matrix(of[0].value, [number](const mat& M) { return mat(M.row(number)); });
}

// All cells along one axis.
Tensor flat(const std::vector<Operand>& of) {
  Tensor result = of[0].value;
  result.shape = {result.size()};
  return result;
}

// (…, n) → (…, n, 1).
Tensor as_column(const std::vector<Operand>& of) {
  Tensor column = of[0].value;
  column.shape.push_back(1);
  return column;
}

// Without the last column.
Tensor cut(const std::vector<Operand>& of) {
  require_matrices(of);
  return for_each_matrix(of[0].value,
                         [](const mat& M) { return mat(M.head_cols(std::max<uword>(M.n_cols, 1) - 1)); });
}

// The rows of a table by their numbers, which go round.
Tensor taken(const std::vector<Operand>& of) {
  const Tensor &table = of[0].value, &ids = of[1].value;
  require_matrices({of[0]});
  const std::size_t rows = table.shape[0], width = table.size() / std::max<std::size_t>(rows, 1);
  Shape shape = ids.shape;
  shape.push_back(width);
  Tensor result(shape);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const double n = static_cast<double>(rows), row = ids.data[i] - n * std::floor(ids.data[i] / n);
    if (!(row >= 0 && row < n)) refuse_shapes(with_shape(of[1].text(), ids.shape), rows, 0); // NaN, ∞
    for (std::size_t j = 0; j < width; ++j)
      result.data[i * width + j] = table.data[static_cast<std::size_t>(row) * width + j];
  }
  return result;
}

// Over d − 1 a single number has no spread, as NumPy has it.
mat unbiased(mat spread, const mat& M) {
  if (M.n_cols < 2) spread.fill(arma::datum::nan);
  return spread;
}

double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}

constexpr FormulaFunction functions[] = {
    // Cell by cell.
    {.name = "+",
     .arguments = 2,
     .two = [](double a, double b) { return a + b; },
     .cell = "$1 + $2",
     .strength = Strength::sum},
    {.name = "−",
     .arguments = 2,
     .two = [](double a, double b) { return a - b; },
     .cell = "$1 - $2",
     .strength = Strength::sum},
    {.name = "⊙",
     .arguments = 2,
     .two = [](double a, double b) { return a * b; },
     .cell = "$1·$2",
     .strength = Strength::product},
    {.name = "/",
     .arguments = 2,
     .two = [](double a, double b) { return a / b; },
     .cell = "$1 / $2",
     .strength = Strength::product},
    {.name = "^",
     .arguments = 2,
     .two = [](double a, double b) { return std::pow(a, b); },
     .cell = "$1^$2",
     .strength = Strength::power},
    {.name = "min",
     .arguments = 2,
     .two = [](double a, double b) { return std::min(a, b); },
     .cell = "min($1, $2)"},
    {.name = "max",
     .arguments = 2,
     .two = [](double a, double b) { return std::max(a, b); },
     .cell = "max($1, $2)"},
    {.name = "≤", .arguments = 2, .two = [](double a, double b) { return a <= b ? 1.0 : 0.0; }},
    {.name = "≥", .arguments = 2, .two = [](double a, double b) { return a >= b ? 1.0 : 0.0; }},
    {.name = "<", .arguments = 2, .two = [](double a, double b) { return a < b ? 1.0 : 0.0; }},
    {.name = ">", .arguments = 2, .two = [](double a, double b) { return a > b ? 1.0 : 0.0; }},
    {.name = "=", .arguments = 2, .two = [](double a, double b) { return a == b ? 1.0 : 0.0; }},
    {.name = "negated", .one = [](double x) { return -x; }, .cell = "-$1", .strength = Strength::power},
    {.name = "√", .one = [](double x) { return std::sqrt(x); }, .cell = "sqrt($1)"},
    {.name = "²", .one = [](double x) { return x * x; }, .cell = "$1^2", .strength = Strength::power},
    {.name = "³", .one = [](double x) { return x * x * x; }, .cell = "$1^3", .strength = Strength::power},
    {.name = "abs", .one = [](double x) { return std::abs(x); }, .cell = "|$1|"},
    {.name = "floor", .one = [](double x) { return std::floor(x); }, .cell = "⌊$1⌋"},
    {.name = "exp", .one = [](double x) { return std::exp(x); }, .cell = "exp($1)"},
    {.name = "expm1", .one = [](double x) { return std::expm1(x); }, .cell = "(exp($1) - 1)"},
    {.name = "ln", .one = [](double x) { return std::log(x); }, .cell = "ln($1)"},
    {.name = "ln1p", .one = [](double x) { return std::log1p(x); }, .cell = "ln(1 + $1)"},
    {.name = "sin", .one = [](double x) { return std::sin(x); }, .cell = "sin($1)"},
    {.name = "cos", .one = [](double x) { return std::cos(x); }, .cell = "cos($1)"},
    {.name = "arccos", .one = [](double x) { return std::acos(std::clamp(x, -1.0, 1.0)); }},
    {.name = "erf", .one = [](double x) { return std::erf(x); }, .cell = "erf($1)"},
    {.name = "tanh", .one = [](double x) { return std::tanh(x); }, .cell = "tanh($1)"},
    {.name = "sigmoid", .one = sigmoid, .cell = "1/(1 + exp(-$1))", .strength = Strength::product},
    // NaN where nothing is left to divide by, as NumPy has it, and what follows from it.
    {.name = "nan_if_0",
     .one = [](double x) { return x == 0 ? std::numeric_limits<double>::quiet_NaN() : x; }},
    {.name = "where", .arguments = 3, .tensors = selected},
    // Along the rows, and the columns.
    {.name = "rowsum", .matrix = [](const mat& M) { return mat(arma::sum(M, 1)); }, .along_row = "sum"},
    {.name = "rowmean",
     .matrix = [](const mat& M) { return mat(arma::mean(M, 1)); },
     .strength = Strength::product,
     .along_row = "mean"},
    {.name = "rowmax", .matrix = [](const mat& M) { return mat(arma::max(M, 1)); }, .along_row = "max"},
    {.name = "rowmin", .matrix = [](const mat& M) { return mat(arma::min(M, 1)); }},
    {.name = "colsum", .matrix = [](const mat& M) { return mat(arma::sum(M, 0)); }},
    {.name = "colmax", .matrix = [](const mat& M) { return mat(page::softmax(M.t()).row_max.t()); }},
    {.name = "colmean", .matrix = [](const mat& M) { return mat(arma::mean(M, 0)); }},
    {.name = "std ddof=0", .matrix = [](const mat& M) { return mat(arma::stddev(M, 1, 1)); }},
    {.name = "std ddof=1", .matrix = [](const mat& M) { return unbiased(mat(arma::stddev(M, 0, 1)), M); }},
    {.name = "var ddof=0", .matrix = [](const mat& M) { return mat(arma::var(M, 1, 1)); }},
    {.name = "var ddof=1", .matrix = [](const mat& M) { return unbiased(mat(arma::var(M, 0, 1)), M); }},
    {.name = "log_softmax", .matrix = page::log_softmax},
    {.name = "softmax", .matrix = softmax, .strength = Strength::product, .along_row = "softmax"},
    {.name = "softmax axis=0", .matrix = [](const mat& M) { return mat(softmax(M.t()).t()); }},
    {.name = "exponentials", .matrix = [](const mat& M) { return page::softmax(M).exponentials; }},
    {.name = "shares", .matrix = shares},
    {.name = "first_max", .matrix = page::first_max},
    {.name = "last_max",
     .matrix = [](const mat& M) { return mat(arma::fliplr(page::first_max(arma::fliplr(M)))); }},
    {.name = "each_twice",
     .matrix =
         [](const mat& M) {
           mat twice(M.n_rows, 2 * M.n_cols);
           for (uword j = 0; j < twice.n_cols; ++j) twice.col(j) = M.col(j / 2);
           return twice;
         }},
    {.name = "cumsum", .matrix = [](const mat& M) { return mat(arma::cumsum(M, 1)); }},
    {.name = "top_1", .matrix = [](const mat& M) { return largest(M, 1); }},
    {.name = "top_2", .matrix = [](const mat& M) { return largest(M, 2); }},
    {.name = "top_3", .matrix = [](const mat& M) { return largest(M, 3); }},
    {.name = "flip", .matrix = [](const mat& M) { return mat(arma::flipud(M)); }},
    {.name = "roll", .matrix = [](const mat& M) { return rolled(M, 1); }},
    {.name = "roll_back", .matrix = [](const mat& M) { return rolled(M, -1); }},
    {.name = "first_row", .matrix = [](const mat& M) { return mat(arma::repmat(M.row(0), M.n_rows, 1)); }},
    {.name = "allmean", .matrix = [](const mat& M) { return mat{arma::mean(arma::vectorise(M))}; }},
    {.name = "allmax", .matrix = [](const mat& M) { return mat{M.max()}; }},
    {.name = "allsum", .matrix = [](const mat& M) { return mat{arma::accu(M)}; }},
    {.name = "tril",
     .tensors =
         [](const std::vector<Operand>& of) { return kept(of, [](uword i, uword j) { return j <= i; }); }},
    {.name = "triu",
     .tensors =
         [](const std::vector<Operand>& of) { return kept(of, [](uword i, uword j) { return j >= i; }); }},
    {.name = "off_diagonal",
     .tensors =
         [](const std::vector<Operand>& of) { return kept(of, [](uword i, uword j) { return j != i; }); }},
    {.name = "cut", .tensors = cut},
    {.name = "column", .tensors = as_column},
    {.name = "flat", .tensors = flat},
    {.name = "row", .arguments = 2, .tensors = row},
    {.name = "count",
     .tensors =
         [](const std::vector<Operand>& of) {
           return Tensor({}, {static_cast<double>(of[0].value.size())});
         }},
    {.name = "sums_of_differences",
     .tensors =
         [](const std::vector<Operand>& of) {
           return distances(of, [](const arma::rowvec& d) { return arma::accu(arma::abs(d)); });
         }},
    {.name = "largest_differences",
     .tensors =
         [](const std::vector<Operand>& of) {
           return distances(of, [](const arma::rowvec& d) { return arma::abs(d).max(); });
         }},
    {.name = "ᵀ",
     .tensors =
         [](const std::vector<Operand>& of) {
           require_matrices(of);
           return transposed(of[0].value);
         }},
    {.name = "Σ",
     .tensors =
         [](const std::vector<Operand>& of) {
           double sum = 0;
           for (const double x : of[0].value.data) sum += x;
           return Tensor({}, {sum});
         }},
    {.name = "·", .arguments = 2, .tensors = product, .cell = "$1·$2", .strength = Strength::product},
    {.name = "squared_distances", .arguments = 2, .tensors = squared_distances},
    {.name = "rows_of", .arguments = 2, .tensors = taken},
    // Over the heads, or sentences, that stand before rows and columns.
    {.name = "stack_mean",
     .tensors =
         [](const std::vector<Operand>& of) {
           const double h =
               static_cast<double>(of[0].value.rank() < 3 ? 1 : of[0].value.shape[of[0].value.rank() - 3]);
           return cell_by_cell(stack_sum(of), [h](double x) { return x / h; });
         }},
    {.name = "stack_sum", .tensors = stack_sum},
    {.name = "stack_without", .arguments = 2, .tensors = stack_without},
    {.name = "stack_flip",
     .tensors =
         [](const std::vector<Operand>& of) {
           return stacked(of, [](std::size_t k, std::size_t h) { return h - 1 - k; });
         }},
    {.name = "stack_first",
     .tensors =
         [](const std::vector<Operand>& of) {
           return stacked(of, [](std::size_t, std::size_t) { return std::size_t{0}; });
         }},
    {.name = "stack_roll",
     .tensors =
         [](const std::vector<Operand>& of) {
           return stacked(of, [](std::size_t k, std::size_t h) { return (k + h - 1) % h; });
         }},
    {.name = "stack_roll_back",
     .tensors =
         [](const std::vector<Operand>& of) {
           return stacked(of, [](std::size_t k, std::size_t h) { return (k + 1) % h; });
         }},
    {.name = "merge", .tensors = merged},
    {.name = "split_in_turn", .arguments = 2, .tensors = split_in_turn},
    {.name = "deal", .tensors = dealt},
};

} // namespace

const FormulaFunction* formula_function(std::string_view name) {
  const auto found = std::ranges::find(functions, name, &FormulaFunction::name);
  return found == std::end(functions) ? nullptr : &*found;
}

Tensor result_of(const FormulaFunction& function, const std::vector<Operand>& of) {
  for (const Operand& one : of) // Armadillo throws its own errors at an empty matrix
    if (one.value.size() == 0) refuse_shapes(with_shape(one.text(), one.value.shape), 0, 1);
  if (function.tensors) return function.tensors(of);
  if (function.one) return cell_by_cell(of[0].value, function.one);
  if (function.matrix) {
    require_matrices(of);
    return for_each_matrix(of[0].value, function.matrix);
  }
  if (of[0].value.shape != of[1].value.shape) fitting(both(of, ", "), of[0].value.shape, of[1].value.shape);
  return cell_by_cell(of[0].value, of[1].value, function.two);
}

} // namespace tfx
