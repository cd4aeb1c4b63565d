#pragma once
// The properties, a list a subject; property.cpp puts them into one. Those of what stands around the
// attention look at inputs of their own, where whatever is wrong has to show: small ones, of the learner's
// kind of layer.

#include "judge/property.hpp"

namespace tfx {

// Of attention, from its shapes and the numbers that Q, K and V are made of to the output.
std::vector<Property> shape_properties();      ///< of every tensor between X and the output
std::vector<Property> projection_properties(); ///< of Q, K and V
std::vector<Property> weight_properties();     ///< of scale and softmax
std::vector<Property> mixture_properties();    ///< of the output
std::vector<Property> mask_properties();
std::vector<Property> head_properties();
std::vector<Property> block_attention_properties(); ///< of heads and mask in a block since 2017

// Of what stands around it.
std::vector<Property> embedding_properties(); ///< of words and their positions
std::vector<Property> rotary_properties();    ///< of queries and keys that turn
std::vector<Property> block_properties();     ///< of a block since 2017
std::vector<Property> layer_properties();     ///< of residuals, feed-forward and dropout
std::vector<Property> norm_properties();
std::vector<Property> loss_properties();
std::vector<Property> gradient_properties();
std::vector<Property> training_properties(); ///< of what an optimizer makes of gradients
std::vector<Property> model_properties();    ///< of the whole encoder-decoder
std::vector<Property> decoder_properties();  ///< of a decoder alone
std::vector<Property> choice_properties();   ///< of choosing a token, and of a beam's targets
std::vector<Property> decoding_properties(); ///< of kept keys and values
std::vector<Property> count_properties();    ///< of parameters and products
std::vector<Property> subword_properties();  ///< of byte-pair encoding
std::vector<Property> repeated_properties(); ///< of a text that repeats itself, and a head measured on it
std::vector<Property> lens_properties();     ///< of a logit taken apart and a stream read early

} // namespace tfx
