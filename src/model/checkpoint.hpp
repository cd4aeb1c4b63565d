#pragma once
// Models from and to files: .npz and .safetensors with the names and shapes of The Annotated Transformer's
// state_dict, or those of torch.nn.Transformer, GPT-2 or Llama (model/tensor_names.hpp).
//
// A file is compared with the model tensor by tensor before memory is taken for either: a tensor that is
// missing, that no part of the model knows, or whose shape is another is refused by its name.

#include "io/array_file.hpp"
#include "model/tensor_names.hpp"
#include "model/transformer.hpp"

#include <map>
#include <optional>
#include <string>

namespace tfx {

/// What a config.json says of a model that its tensors show too.
struct ConfigClaim {
  std::string field, value;                                  ///< "vocab_size", "50257"
  std::string (*shown)(const ModelSpec&, const FileScheme&); ///< what the tensors say of it
};

/// What a file's tensors do not show. What is given here is taken; else what the file's metadata say; else
/// the names decide: the norm is standard where it has nn.LayerNorm's, else annotated; post-norm where the
/// layers have nn.Transformer's, else pre-norm; the activation is ReLU, positions are sines and cosines, the
/// embedding is scaled. GPT-2's and Llama's names mean what those models are: gelu_tanh and learned
/// positions; RMSNorm with ε = 1e-6, SiLU, rotary positions of halves with base 10000. The number of heads
/// has no default.
struct GivenStyle {
  std::optional<std::size_t> heads = {};
  std::optional<Norm> norm = {};
  std::optional<NormPlacement> placement = {};
  std::optional<Activation> activation = {};
  std::optional<double> epsilon = {};
  std::optional<Positions> positions = {};
  std::optional<RotaryPairs> pairs = {};
  std::optional<double> rotary_base = {};
  std::optional<std::size_t> window = {}; ///< 0: all
  std::optional<std::size_t> max_len = {};
  std::optional<bool> scaled_embedding = {};

  // Of a config.json (model/config_style.hpp), which the tensors must not contradict.
  std::string config = {};               ///< its name in messages
  std::optional<NameFamily> family = {}; ///< whose names its model has
  std::vector<ConfigClaim> claims = {};
};

/// What a safetensors file says of itself.
using Metadata = std::map<std::string, std::string>;

/// Throws Error(bad_data) where the file's content is wrong, Error(usage) where neither `given` nor the
/// metadata say the number of heads, Error(no_input), Error(no_memory).
template <class Real>
Transformer<Real> load_model(const TensorFile& file, const GivenStyle& given = {});
template <class Real>
Transformer<Real> load_model(const std::string& path, const GivenStyle& given = {});

/// The first layers of the encoder that the file's model has, and what leads to them, as an encoder alone; of
/// the rest no number is read. Throws as load_model does.
template <class Real>
Transformer<Real> load_encoder(const TensorFile& file, std::size_t layers, const GivenStyle& given = {});

/// The shape of the file's model; none of its numbers is read. Throws as load_model does.
ModelSpec spec_in(const TensorFile& file, const GivenStyle& given = {});

/// Refuses a model by its names, before anything of it is read, where only an encoder-decoder will do.
void require_encoder_decoder(const TensorFile& file);

/// Refuses parts that The Annotated Transformer's encoder-decoder has not: for pages that compute by its
/// formulas.
void require_annotated_parts(const TensorFile& file, const ModelSpec& spec);

/// How the file names and lays out its tensors. Throws Error(bad_data) where its names contradict each other.
FileScheme scheme_in(const TensorFile& file);

/// Tokens of the source's vocabulary, and of the target's.
struct Vocabularies {
  std::size_t src = 0, tgt = 0;
};

/// Whether a file holds the layers of a torch.nn.Transformer and nothing around them.
bool holds_layers_alone(const TensorFile& file);
/// The shape of a model with those layers. Throws as load_model does.
ModelSpec spec_of_layers(const TensorFile& file, const GivenStyle& given, const Vocabularies& vocabularies);
/// Those layers into a model of that shape.
template <class Real>
void load_layers(Transformer<Real>& model, const TensorFile& file);

/// Of a file that holds embeddings and a generator alone.
Vocabularies vocabularies_in(const TensorFile& ends);
/// Those into a model of that shape.
template <class Real>
void load_ends(Transformer<Real>& model, const TensorFile& ends);

/// Parameters under PREFIX + name in a file whose model is of this shape: what an optimizer keeps.
template <class Real>
Transformer<Real> load_parameters(const TensorFile& file, const std::string& prefix, const ModelSpec& spec);

/// A tensor on its way to a file.
struct CheckpointTensor {
  std::string name;
  Tensor tensor;
};

/// Every parameter in checkpoint order as PREFIX + name.
template <class Real>
std::vector<CheckpointTensor> named_parameters(const Transformer<Real>& model,
                                               const std::string& prefix = "");

/// The attention of a file that holds nothing else: nn.MultiheadAttention's, or a tutorial's.
template <class Real>
MultiHeadAttention<Real> load_attention(const std::string& path);

/// Replaces the file whole or not at all; the extension says which format. float becomes float32, double
/// float64, unless `scheme` says another type. The tensors have the names and the layout of `scheme`. Where
/// positions are sines and cosines the buffers src_embed.1.pe and tgt_embed.1.pe are written too:
/// load_state_dict asks for them. A .safetensors file's metadata say heads, norm, placement, activation and
/// what else the tensors do not show, and `more`, a model card. Throws Error(usage) for another extension,
/// for an .npz of a model that needs metadata, and where the scheme has no place for a part of the model.
template <class Real>
void save_model(const Transformer<Real>& model, const std::string& path, const Metadata& more = {},
                const FileScheme& scheme = {});

} // namespace tfx
