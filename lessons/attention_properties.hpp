#pragma once
// Properties of attention: of its weights and outputs.

#include "lessons/property.hpp"

namespace tfx {

std::vector<Property> attention_properties();

} // namespace tfx
