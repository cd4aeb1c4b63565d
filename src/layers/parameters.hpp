#pragma once
// One visitor goes over the parameters of any layer, in checkpoint order, under the names of The Annotated
// Transformer's state_dict. Counting, drawing, loading and saving use it; with several layers of the same
// shape (parameters, gradients, moments) it visits the tensors that belong together.
//
//   each_parameter([](const std::string& name, auto& weight, auto& gradient) { … }, "encoder", encoder, d);
//
// A layer takes part with a static member `visit(Visit&, prefix, layers…)`.

#include <string>
#include <type_traits>

namespace tfx {

/// "encoder" and "norm" → "encoder.norm"; nothing and "norm" → "norm".
inline std::string join_names(const std::string& prefix, const std::string& name) {
  return prefix.empty() ? name : prefix + "." + name;
}

template <class First, class... Others>
First& first_of(First& first, Others&...) {
  return first;
}

/// A layer and the gradients of its parameters: what backward takes. Gradients of parameters are added to,
/// those of activations overwritten.
template <class Layer>
struct Trainable {
  const Layer& layer;
  Layer& gradient;
};

template <class Visit, class Layer, class... Others>
void each_parameter(Visit&& visit, const std::string& prefix, Layer& layer, Others&... others) {
  std::remove_const_t<Layer>::visit(visit, prefix, layer, others...);
}

} // namespace tfx
