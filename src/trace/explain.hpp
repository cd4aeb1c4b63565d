#pragma once
// A cell as arithmetic: the terms it is made of, with the numbers, and the cells they were read from.

#include "trace/trace.hpp"

#include <functional>

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

/// cell = before + terms joined by " + " + after. Text is in plain arithmetic (+ - · / ^ exp ln sqrt max
/// sin cos)
/// that a learner can type into a calculator; where a rule decides ("mask = 0"), `rule` says it. With
/// `by_rule` the terms do not add up to the cell: they are only what the rule looked at.
struct Explanation {
  CellRef cell;
  std::string label;   ///< "scores[q1, k3]"
  std::string formula; ///< "Σ Q[q1, :]·K[k3, :]"
  std::string before, between = " + ", after;
  std::vector<Term> terms;
  std::string rule;
  std::string reason; ///< why there is such a rule: a key of the words ("blocked_row"), or empty
  bool by_rule = false;
  bool repeated = false;            ///< explained further above, as deep as here: no terms, no sources
  std::vector<Explanation> sources; ///< the cells read, explained in turn
};

/// How the cell at `index` came about; `depth` levels of sources (0: none). Of more than `most` terms,
/// sources are given for the `most` largest only. A cell is explained once: where it comes up again it is
/// `repeated`. Numbers in the text have `precision` decimals. Throws Error(usage) where the index lies
/// outside the tensor or has the wrong number of places.
Explanation explain(const Trace& trace, const std::string& tensor, const Index& index, int depth,
                    std::size_t most, int precision);

/// Positions of the `most` largest terms, of a sum by absolute value, in their order. Of one term more than
/// `most` all stay: to say what it adds takes as much room.
std::vector<std::size_t> largest_terms(const Explanation& explanation, std::size_t most);

/// Names the terms left out by their number and their sum; the sum is empty where terms are not added.
using NameRest = std::function<std::string(std::size_t count, const std::string& sum)>;

/// "… 505 (-0.1326)".
std::string plain_rest(std::size_t count, const std::string& sum);

/// "2·2 + 0·4 + 2·3"; of more than `most` terms the largest and the sum of the rest.
std::string arithmetic(const Explanation& explanation, std::size_t most, int precision,
                       const NameRest& name_rest = plain_rest);

} // namespace tfx
