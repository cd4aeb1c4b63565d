#pragma once
// Every mistake against every property: which properties notice it? A mistake that none notices survives; the
// properties look at no right result, so a right-looking answer does not save it.

#include "judge/property.hpp"

#include <string>
#include <vector>

namespace tfx {

struct KillRow {
  std::string mistake;
  std::vector<bool> killed;      ///< a value for each property
  std::vector<std::string> runs; ///< where it was made: "masked", "masked --pad 1"

  bool survives() const;
};

struct KillMatrix {
  std::vector<std::string> properties;   ///< ids
  std::vector<KillRow> rows;             ///< in the catalogue's order
  std::vector<std::string> false_alarms; ///< "masked: future_unseen": it does not hold of the right run

  std::size_t killed() const;
  /// Every mistake is noticed, and no right run accused.
  bool holds() const { return killed() == rows.size() && false_alarms.empty(); }
};

/// Each mistake is made in its own lesson, on the lesson's default input; where it changes nothing there or
/// nothing notices it, on others: with padding, a batch, dropout, another norm, smoothed labels. A mistake
/// that changes its own lesson nowhere is made in the first one where it does.
KillMatrix kill_matrix();

} // namespace tfx
