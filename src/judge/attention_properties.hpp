#pragma once
// Properties of attention, a file for each of its concepts.

#include "judge/property.hpp"

namespace tfx {

std::vector<Property> shape_properties();      ///< of every tensor between X and the output
std::vector<Property> projection_properties(); ///< of Q, K and V
std::vector<Property> weight_properties();     ///< of scale and softmax
std::vector<Property> mixture_properties();    ///< of the output
std::vector<Property> mask_properties();
std::vector<Property> head_properties();

} // namespace tfx
