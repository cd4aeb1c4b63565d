#pragma once
// How a file's tensors become those of The Annotated Transformer: under which names other programs,
// torch.nn.Transformer first, keep the same tensors, and which shape and style of model the tensors and the
// metadata make. docs/file_formats.md has the names side by side. What wrappers put in front is taken off:
// "module.", "_orig_mod.", "transformer.", "model."; in the tutorials' attention modules q_linear, k_linear,
// v_linear, out and wq, wk, wv, wo are linears.{0,1,2,3}.

#include "core/choices.hpp"
#include "io/array_file.hpp"
#include "kernels/layer_norm.hpp"
#include "model/checkpoint.hpp"

#include <map>
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
  Norm norm = Norm::annotated;        ///< standard where norms have nn.LayerNorm's names: weight, bias
  std::vector<std::string> taken_off; ///< prefixes of wrappers, as they stood in the file

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

/// The metadata of a safetensors file.
std::map<std::string, std::string> metadata_of(const LayerSpec& spec);

/// Throws Error(bad_data) with what the file is where its names are known and make no encoder-decoder.
void refuse_other_program(const TensorFile& file);

/// The configuration of the model in `file`, its shape read from the tensors. Throws Error(bad_data) with the
/// tensor that is missing or whose shape makes no model, Error(usage) where neither `given` nor the
/// metadata say the number of heads. `vocabularies`: of layers alone, whose file shows none.
ModelSpec spec_of(const TensorFile& file, const NamedSources& sources, const GivenStyle& given,
                  const std::optional<Vocabularies>& vocabularies = {});

/// As the two tables of embeddings show them.
Vocabularies vocabularies_of(const TensorFile& file, const NamedSources& sources);

} // namespace tfx
