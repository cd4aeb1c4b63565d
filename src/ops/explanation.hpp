#pragma once
// A cell as arithmetic: the terms it is made of, with the numbers, and the cells they were read from.

#include "core/shape.hpp"

#include <string>
#include <vector>

namespace tfx {

/// A cell of a tensor, and its value.
struct CellRef {
  std::string tensor;
  Index index;
  double value = 0;
};

/// "2·4": one summand of a cell.
struct Term {
  std::string text;
  double value = 0;
  std::vector<CellRef> reads;
};

/// cell = before + terms joined by `between` + after. Text is in plain arithmetic (+ - · / ^ exp ln sqrt max
/// sin cos erf) that a learner can type into a calculator; where a rule decides ("mask = 0"), `rule` says it.
/// With `by_rule` the terms do not add up to the cell: they are only what the rule looked at.
struct Explanation {
  CellRef cell;
  std::string label;   ///< "scores[q1, k3]"
  std::string formula; ///< "Σ Q[q1, :]·K[k3, :]"
  std::string before, between = " + ", after;
  std::vector<Term> terms;
  std::string rule;
  std::string reason; ///< why there is such a rule: a key of the words ("blocked_row"), or empty
  bool by_rule = false;
  bool repeated = false;            ///< explained further above: no formula, no terms, no sources
  std::vector<Explanation> sources; ///< the cells read, explained in turn

  /// One term, which is the cell.
  void set_single(std::string text, std::vector<CellRef> reads);

  /// "mask[a, b] = 0 ⇒ −∞": the condition decides, the terms are only what it looked at. A rule is read, not
  /// typed into a calculator. `result` is the cell as text.
  void decide(const std::string& condition, const std::string& result);
};

} // namespace tfx
