#pragma once
// The errata of each tutorial; erratum.cpp puts them together.

#include "lessons/errata/erratum.hpp"

namespace tfx::errata {

std::vector<Erratum> of_fun_transformer();
std::vector<Erratum> of_scaled_dot_product();
std::vector<Erratum> of_attention_block();          ///< the block and its weights
std::vector<Erratum> of_attention_block_training(); ///< loss, backward, measurements
std::vector<Erratum> of_annotated();                ///< what it says about attention and the layer
std::vector<Erratum> of_annotated_code();           ///< how its classes fit together
std::vector<Erratum> of_happy_llm();                ///< what it says
std::vector<Erratum> of_happy_llm_code();           ///< its class

} // namespace tfx::errata
