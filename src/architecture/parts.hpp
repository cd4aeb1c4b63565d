#pragma once
// Parts that several families have, by the choices of a shape.

#include "architecture/shape.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tfx::params {

/// Of a linear layer that has one where `is_there`.
inline Bias bias_if(bool is_there) {
  return is_there ? Bias::yes : Bias::no;
}

/// A gain alone, as RMSNorm has it.
Module rms_norm(const std::string& name, const Figure& tokens, const Figure& width);

/// x + sublayer(x).
LayerOperation residual(const Figure& tokens, const Figure& width);

/// A table of positions that are added: learned, or computed and kept as a buffer. Nothing where positions
/// are rotary or none.
std::optional<Module> position_table(const std::string& name, const ModelShape& shape, const Figure& tokens,
                                     const Figure& rows, const Figure& width);

/// Rotated queries and keys, in the self-attention of shapes that have rotary positions.
void add_rotation(std::vector<LayerOperation>& operations, const ModelShape& shape, const Figure& tokens,
                  const Sizes& sizes);

/// What an attention of one stack does between its projections: products, softmax, rotation.
std::vector<LayerOperation> self_attention(const ModelShape& shape, const Sizes& sizes);

struct ProjectionNames {
  std::string query, key, value, output;
};

/// The four matrices of an attention, as nn.Linear.
std::vector<Module> projections(const ProjectionNames& names, const ModelShape& shape, const Sizes& sizes,
                                const Figure& queries, const Figure& keys);

/// Between the matrices of a feed-forward layer: the activation, and the product with the gate's other half.
std::vector<LayerOperation> hidden_operations(const ModelShape& shape, const Figure& tokens,
                                              const Figure& width);

/// From d_model to d_ff, as nn.Linear: the gate's matrix, where there is one, and the other one.
std::vector<Module> widening(const std::string& gate, const std::string& up, const ModelShape& shape,
                             const Sizes& sizes, const Figure& tokens);

} // namespace tfx::params
