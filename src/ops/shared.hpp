#pragma once
// What families of operations share: arithmetic cell by cell, sums onto a shape, and how a gradient goes back
// through them.

#include "core/tensor.hpp"
#include "ops/ops.hpp"

#include <functional>

namespace tfx {

/// A constant that counts, as what is counted: a wrong run may ask for more than `most`, or for fewer than
/// none.
inline std::size_t count_of(double constant, std::size_t most) {
  if (constant >= static_cast<double>(most)) return most;
  return constant > 0 ? static_cast<std::size_t>(constant) : 0;
}

/// A row that is −∞ throughout may see nothing: no arithmetic gives its cells, a rule does.
void decide_masked_row(Explanation& e, const CellReader& read, const Index& row,
                       const std::string& condition);

/// A cell that is made of the cell of one input: "exp(0.5)", and its formula.
void explain_one(Explanation& e, const CellReader& read, const std::string& before, const std::string& after,
                 const std::string& formula_before, const std::string& formula_after);

/// dA where the result moves with A cell by cell: the same cells, or their sum over what was repeated. `sign`
/// is 1 or −1.
Vjp passed_on(const Computed& step, std::size_t i, int sign = 1);

/// d, or d ⊙ factor, summed onto `shape`: "sum(d⊙factor)".
Vjp summed(const std::string& d, const std::string& factor, const Shape& shape, int sign = 1);

/// Every cell of A added to the cell of the result that it falls on, axes aligned at the right; A of fewer
/// cells is repeated.
Tensor sum_onto(const Tensor& A, const Shape& shape);

/// Calls visit(index) for every cell of `shape` that falls on `index` of a result of shape `result`: axes
/// align at the right, and an axis that the result has not or has once is summed over.
void for_each_source(const Shape& shape, const Shape& result, const Index& index,
                     const std::function<void(const Index&)>& visit);

template <class Formula>
Tensor cell_by_cell(const Tensor& A, const Formula& formula) {
  Tensor result = A;
  for (double& x : result.data) x = formula(x);
  return result;
}

/// Of the shape that broadcasting gives.
template <class Formula>
Tensor cell_by_cell(const Tensor& A, const Tensor& B, const Formula& formula) {
  Tensor result(broadcast_shape(A.shape, B.shape, said("cells")));
  if (A.shape == B.shape) {
    for (std::size_t i = 0; i < result.size(); ++i) result.data[i] = formula(A.data[i], B.data[i]);
    return result;
  }
  BroadcastOffset a(A.shape, result.shape), b(B.shape, result.shape);
  for (double& cell : result.data) cell = formula(A.data[*a], B.data[*b]), ++a, ++b;
  return result;
}

// What operations of several families say of themselves.

Work free_of_cost(const Computed&);
Work one_a_cell(const Computed& step);

/// A row of the first input.
std::size_t row_terms(const Computed& step);

} // namespace tfx
