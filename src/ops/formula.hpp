#pragma once
// A formula as a line of text, "e^S/rowsum(e^S)": what it gives on tensors, what that costs, and one of its
// cells as arithmetic. Wrong formulas are rows of such text (trace/mistake.hpp, judge/variant_rows.cpp).

#include "ops/operation.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tfx {

/// A formula read from text. The weakest first: + and −; · / ⊙, where · of two matrices is their product; the
/// signs −, √, and Σ, the sum of all cells of a chain of ⊙; ^; behind a term ᵀ, ² and ³. In brackets (x),
/// |x|, ⌊x⌋, and [a ≤ b < c], which is 1 or 0. Functions are those of the table in formula_functions.cpp:
/// rowsum(x), where(a, b, c), std(x, ddof=1). `i`, `j` and `k` count the rows, columns and matrices of the
/// result, `e` and `π` are numbers, any other name is a tensor's. Cells are broadcast as NumPy does it, rows
/// lie along the last axis.
class Formula {
public:
  struct Node;

  /// Throws a defect where the text is no formula: it is always tfx's own.
  explicit Formula(const std::string& text);

  /// The tensors that it names, each once, in order.
  const std::vector<std::string>& names() const { return names_; }
  /// Whether it counts cells of its result, whose shape has to be said.
  bool counts_cells() const { return counts_cells_; }
  const Node& root() const { return *root_; }

private:
  std::vector<std::string> names_;
  bool counts_cells_ = false;
  std::shared_ptr<const Node> root_;
};

/// The formula of that text; it is read once.
const Formula& formula_of_text(const std::string& text);

/// The text with what `replaced` gives in the place of each name; functions keep theirs.
std::string with_names(const std::string& text,
                       const std::function<std::string(const std::string&)>& replaced);

namespace op {
/// The formula that the constant's text is, of its inputs. A wrong step is one of these; no lesson's is, and
/// no gradient goes back through it.
extern const Op formula;
} // namespace op

} // namespace tfx
