#pragma once
// The trained models that are part of the executable.

#include "io/array_file.hpp"

#include <string>
#include <vector>

namespace tfx {

/// Those that read one text and write another, the smallest file first: "numbers-zh", "reverse", "en-zh". So
/// a model for one kind of text comes before one that reads many.
std::vector<std::string> shipped_models();

/// Those that go on with a text, a decoder alone: "microgpt".
std::vector<std::string> shipped_writers();

/// Both.
std::vector<std::string> shipped_names();

/// The checkpoint of that name. Throws Error(internal) where none has it.
TensorFile shipped_model(const std::string& name);

} // namespace tfx
