#pragma once
// The names and shapes of a layer's or model's parameters, and how many numbers they are.

#include "core/shape.hpp"
#include "layers/parameters.hpp"
#include "layers/storage.hpp"

#include <string>
#include <vector>

namespace tfx {

struct NamedShape {
  std::string name;
  Shape shape; ///< as PyTorch has it: (d_out, d_in)
};

/// Every parameter of a layer or model in checkpoint order.
template <class Layer>
std::vector<NamedShape> parameter_shapes(const Layer& layer, const std::string& prefix = "") {
  std::vector<NamedShape> shapes;
  each_parameter(
      [&](const std::string& name, const auto& tensor) {
        shapes.push_back({name, torch_shape(tensor)});
      },
      prefix, layer);
  return shapes;
}

/// How many numbers they are. A layer of ShapesOnly is counted like any other.
template <class Layer>
std::size_t count_parameters(const Layer& layer) {
  std::size_t count = 0;
  for (const NamedShape& parameter : parameter_shapes(layer)) count += element_count(parameter.shape);
  return count;
}

} // namespace tfx
