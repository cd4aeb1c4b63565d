#pragma once
// The trained models that are part of the executable.

#include "io/tensor_file.hpp"

#include <string>
#include <vector>

namespace tfx {

/// Their names in order: "numbers-zh", "reverse".
std::vector<std::string> shipped_models();

/// The checkpoint of that name. Throws Error(internal) where none has it.
TensorFile shipped_model(const std::string& name);

} // namespace tfx
