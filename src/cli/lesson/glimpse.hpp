#pragma once
// A look ahead from the first lesson: what the course leads to.

#include "trace/trace.hpp"

namespace tfx {

/// The facts that the words "glimpse" of a lesson quote: what a shipped model answers to its example, and
/// which token of the source had most of the weight as it wrote each. The model writes Chinese, or with
/// `ascii` what every terminal shows. Nothing where no such model is shipped.
void add_glimpse(Trace& trace, bool ascii);

} // namespace tfx
