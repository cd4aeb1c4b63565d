#pragma once
// The names under which other programs keep the same tensors, and where to find ours in theirs.
//
//   torch.nn.Transformer           The Annotated Transformer
//   self_attn.in_proj_weight       self_attn.linears.{0,1,2}.weight, a third of the rows each
//   self_attn.out_proj             self_attn.linears.3
//   multihead_attn                 src_attn
//   linear1, linear2               feed_forward.w_1, feed_forward.w_2
//   norm1, norm2, norm3            sublayer.{0,1,2}.norm
//   norm.weight, norm.bias         norm.a_2, norm.b_2
//
// Around it, where those are nn.Embedding and nn.Linear by themselves, in a file of their own:
//   src_embed, tgt_embed           src_embed.0.lut, tgt_embed.0.lut
//   generator                      generator.proj
//
// What wrappers put in front is taken off: "module.", "_orig_mod.", "transformer.", "model.". In the
// tutorials' attention modules q_linear, k_linear, v_linear, out and wq, wk, wv, wo are linears.{0,1,2,3}.

#include "io/tensor_file.hpp"
#include "kernels/layer_norm.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tfx {

/// A tensor under our name, as a part of one in the file.
struct TensorSource {
  std::string name;
  Shape shape;
  std::size_t entry = 0; ///< of the file
  std::size_t first = 0; ///< its first cell there
};

/// Whose names they are. torch: of torch.nn.Transformer or nn.MultiheadAttention.
enum class NameFamily { annotated, torch };

struct NamedSources {
  std::vector<TensorSource> tensors;
  NameFamily family = NameFamily::annotated;
  NormRule norm = NormRule::annotated; ///< standard where norms have nn.LayerNorm's names: weight, bias
  std::vector<std::string> taken_off;  ///< prefixes of wrappers, as they stood in the file

  /// Whether they are torch.nn.Transformer's and nothing stands around it: no embedding, no generator.
  bool are_layers_alone() const;
  /// Whether they are torch.nn.Transformer's with bias=False: none of its layers has a bias, which is as if
  /// each were 0.
  bool are_without_biases() const;
};

/// Whether our name is of a layer or a final norm, not of what stands around them.
bool is_of_layers(std::string_view name);
/// Whether our name is a bias's, of a norm too.
bool is_bias(std::string_view name);

/// What the program of that family calls our tensor: "encoder.layers.0.self_attn.in_proj_bias".
std::string their_name(const std::string& ours, NameFamily family);

/// Every tensor of the file under our name; names of neither family stay as they are. Throws Error(bad_data)
/// where a projection of q, k and v in one cannot be cut in three.
NamedSources annotated_names(const TensorFile& file);

/// The same of a file of embeddings and a generator.
NamedSources annotated_ends(const TensorFile& file);

} // namespace tfx
