#pragma once
// A cell as a learner types it: for each axis its index, or its label as the page prints it.

#include "ops/operation.hpp"

#include <string>
#include <vector>

namespace tfx {

/// The cell that is meant. A whole number is always an index. Throws Error(usage) where a label is unknown
/// or stands on its axis more than once, where an index lies outside, and where an axis is left out.
Index cell_at(const LabelledTensor& tensor, const std::vector<std::string>& address);

/// {"q1", "2"}: a place for each axis, as a shell takes it; an index where there is no label or it would not
/// do.
std::vector<std::string> cell_places(const LabelledTensor& tensor, const Index& index);

/// " q1 k3": the cell as a shell takes it, after the tensor's name; nothing of a single number.
std::string cell_address(const LabelledTensor& tensor, const Index& index);

} // namespace tfx
