#pragma once
// Dotted names as a learner asks for them: of activations and of tensors in files.

#include <string>

namespace tfx {

/// Whether a name is meant: its whole, a leading or a closing part of it ("encoder.layers.0", "weights"), or
/// a pattern with *.
bool matches(const std::string& pattern, const std::string& name);

} // namespace tfx
