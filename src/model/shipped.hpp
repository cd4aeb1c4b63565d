#pragma once
// The trained models that are part of the executable.

#include "io/array_file.hpp"

#include <string>
#include <vector>

namespace tfx {

/// Their names, the smallest file first: "numbers-zh", "reverse", "en-zh". So a model for one kind of text
/// comes before one that reads many.
std::vector<std::string> shipped_models();

/// The checkpoint of that name. Throws Error(internal) where none has it.
TensorFile shipped_model(const std::string& name);

} // namespace tfx
