#pragma once
// A model of attention alone that grows an induction head: two layers learn to go on with sequences that
// repeat (model/repeated.hpp).

#include "model/repeated.hpp"

#include <functional>
#include <map>
#include <vector>

namespace tfx {

/// What is grown, and on what. The seed draws the weights and the sequences.
struct InductionRecipe {
  RepeatedRule sequences;
  std::size_t d_model = 16, layers = 2, heads = 1;
  std::size_t batch = 64, steps = 400;
  double rate = 0.03;
  std::uint32_t seed = 42;
};

/// A decoder alone without feed-forward: LayerNorm before attention and behind the last layer, learned
/// positions, no biases.
ModelSpec spec_of(const InductionRecipe& recipe);

/// A model on its way.
struct Growth {
  std::size_t step = 0;
  OnRepeated held; ///< at the recipe's period, or the longest
};

/// Trains a model from its first weights on. The same seed gives the same bytes on one instruction set.
/// `watch` is called before the first step and ten times on the way. Throws Error(no_memory).
Transformer<float> grow(const InductionRecipe& recipe, const std::function<void(const Growth&)>& watch);

/// How a model grew, as the metadata of its file keep it: "growth", a line a watched step; "periods", the
/// shortest and the longest of its sequences.
std::map<std::string, std::string> metadata_of(const InductionRecipe& recipe,
                                               const std::vector<Growth>& growth);

} // namespace tfx
