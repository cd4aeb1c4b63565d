#pragma once
// A look ahead from the first lesson: what the course leads to.

#include "trace/trace.hpp"

namespace tfx {

/// The facts that the words "glimpse" of a lesson quote: what the shipped translator answers to its example,
/// and which word of the source had most of the weight as it wrote each token. Nothing where no such model is
/// shipped.
void add_glimpse(Trace& trace);

} // namespace tfx
