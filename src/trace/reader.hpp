#pragma once
// What every operation needs to explain one of its cells: reading the inputs of its step, naming rows and
// columns, writing numbers.

#include "core/broadcast.hpp"
#include "core/number.hpp"
#include "trace/explain.hpp"

#include <utility>

namespace tfx {

/// Reads inputs of one step and writes numbers: what every operation below needs.
class Reader {
public:
  Reader(const Trace& trace, const Step& step, int precision)
      : trace_(trace), step_(step), precision_(precision) {}

  const Step& input(std::size_t i) const { return *trace_.find(step_.how.inputs[i]); }
  const Shape& shape(std::size_t i) const { return input(i).value.shape; }
  CellRef cell(std::size_t i, Index index) const {
    const double value = input(i).value.at(index);
    return {input(i).name, std::move(index), value};
  }
  CellRef broadcast_cell(std::size_t i, const Index& index) const {
    return cell(i, broadcast_index(shape(i), index));
  }

  /// A negative factor is put in parentheses, so that the text can be typed into a calculator.
  std::string number(double value) const {
    const std::string text = format_number(value, precision_);
    return text.front() == '-' ? "(" + text + ")" : text;
  }
  std::string plain(double value) const { return format_number(value, precision_); }
  bool skips_zeros() const { return step_.how.op == Op::weighted_sum; }

private:
  const Trace& trace_;
  const Step& step_;
  int precision_;
};

/// The index of a matrix's cell (row, column) with the leading axes of `index`, broadcast to an input's
/// shape.
Index matrix_cell(const Shape& shape, const Index& index, std::size_t row, std::size_t column);

/// "K[k3, :]": the whole row that holds the cell.
std::string row_name(const Step& step, const Index& cell);

/// "k3", or "2" where the last axis has no labels.
std::string name_at(const Step& step, const Index& cell);

/// "W_Q[:, 2]".
std::string column_name(const Step& step, const Index& cell);

/// One term, which is the cell.
void single(Explanation& e, std::string text, std::vector<CellRef> reads);

/// "mask[a, b] = 0 ⇒ −∞": the condition decides, the terms are only what it looked at. A rule is read, not
/// typed into a calculator.
void decide(Explanation& e, const std::string& condition, const Reader& read);

} // namespace tfx
