#pragma once
// Properties of a layer's residuals, feed-forward, dropout and norm, of whichever kind the learner's input
// has. The header lists all properties of what stands around the attention; each looks at inputs of its own,
// where whatever is wrong has to show: small ones, of the learner's kind of layer.

#include "judge/property.hpp"

namespace tfx {

std::vector<Property> embedding_properties(); ///< of words and their positions
std::vector<Property> layer_properties();     ///< of residuals, feed-forward and dropout
std::vector<Property> norm_properties();
std::vector<Property> loss_properties();
std::vector<Property> gradient_properties();
std::vector<Property> training_properties(); ///< of what an optimizer makes of gradients
std::vector<Property> model_properties();    ///< of the whole encoder-decoder
std::vector<Property> choice_properties();   ///< of choosing a token, and of a beam's targets
std::vector<Property> decoding_properties(); ///< of kept keys and values
std::vector<Property> count_properties();    ///< of parameters and products
std::vector<Property> subword_properties();  ///< of byte-pair encoding

} // namespace tfx
