#pragma once
// Explanations of a loss and of the steps back from it.

#include "trace/reader.hpp"

namespace tfx {

/// Any operation from Op::smoothed_target on.
void explain_gradient(Explanation& e, const Reader& read, const Index& index, const Step& step);

} // namespace tfx
