// Every property, in one list.

#include "judge/property.hpp"

#include "judge/attention_properties.hpp"
#include "judge/layer_properties.hpp"

#include <algorithm>
#include <iterator>

namespace tfx {

const std::vector<Property>& properties() {
  static const std::vector<Property> all = [] {
    std::vector<Property> list;
    for (const auto& of_concept :
         {shape_properties, projection_properties, weight_properties, mixture_properties, mask_properties,
          head_properties, embedding_properties, layer_properties, norm_properties, loss_properties,
          gradient_properties, training_properties, model_properties, choice_properties, decoding_properties,
          count_properties, subword_properties})
      std::ranges::move(of_concept(), std::back_inserter(list));
    return list;
  }();
  return all;
}

} // namespace tfx
