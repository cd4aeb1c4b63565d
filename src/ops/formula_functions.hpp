#pragma once
// What a formula can say: its signs and functions, a row each.

#include "core/tensor.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tfx {

/// A tensor, and what it was computed by as text, for refusals.
struct Operand {
  Tensor value;
  std::function<std::string()> text;
};

/// How far a text holds together beside others: a + b, a·b, a^b, f(a).
enum class Strength { sum, product, power, atom };

/// A sign or a function of a formula. One of `one`, `two`, `matrix` and `tensors` computes it.
struct FormulaFunction {
  std::string_view name; ///< "+", "rowsum", "std ddof=1"
  std::size_t arguments = 1;
  double (*one)(double) = nullptr;                 ///< cell by cell
  double (*two)(double, double) = nullptr;         ///< cell by cell, broadcast
  arma::mat (*matrix)(const arma::mat&) = nullptr; ///< of each matrix
  Tensor (*tensors)(const std::vector<Operand>&) = nullptr;
  std::string_view cell = {}; ///< as arithmetic, $1 and $2 being its operands' cells: "exp($1)"
  Strength strength = Strength::atom;
  std::string_view along_row = {}; ///< the cell is the "sum", "mean", "max" or "softmax" of its operand's row
};

/// The function of that name, or nullptr.
const FormulaFunction* formula_function(std::string_view name);

/// Throws Error(bad_data) where the operands do not fit: "Q (4, 3) · K (4, 3): 3 ≠ 4".
Tensor result_of(const FormulaFunction& function, const std::vector<Operand>& of);

} // namespace tfx
