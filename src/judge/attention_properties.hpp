#pragma once
// Properties of attention, from its shapes and the numbers that Q, K and V are made of to the output, which
// each head makes of columns of its own. The header lists all properties of attention; those of masks, scale
// and softmax are in weight_properties.cpp.

#include "judge/property.hpp"

namespace tfx {

std::vector<Property> shape_properties();      ///< of every tensor between X and the output
std::vector<Property> projection_properties(); ///< of Q, K and V
std::vector<Property> weight_properties();     ///< of scale and softmax
std::vector<Property> mixture_properties();    ///< of the output
std::vector<Property> mask_properties();
std::vector<Property> head_properties();

} // namespace tfx
