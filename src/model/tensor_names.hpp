#pragma once
// What the tensors of a model are called, and how they lie, in the files of other programs: one table, read
// in both directions. docs/file_formats.md has the names side by side. What wrappers put in front is taken
// off: "module.", "_orig_mod.", "transformer.", "model."; in the tutorials' attention modules q_linear,
// k_linear, v_linear, out and wq, wk, wv, wo are linears.{0,1,2,3}.

#include "core/architecture.hpp"
#include "io/array_file.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tfx {

/// Whose names they are. torch: of torch.nn.Transformer or nn.MultiheadAttention; gpt2: nanoGPT's and
/// minGPT's too; llama: Hugging Face's, as Mistral's and Qwen's.
enum class NameFamily { annotated, torch, gpt2, llama };

/// Whether whole models have them, which hold their embeddings too.
constexpr bool is_published(NameFamily family) {
  return family == NameFamily::gpt2 || family == NameFamily::llama;
}

/// The part of a name by which a published family is known: "c_attn".
std::string_view telling_part(NameFamily family);

/// "GPT-2".
const char* name_of_program(NameFamily family);

/// How a file names and lays out a model's tensors: what save_model writes back.
struct FileScheme {
  NameFamily family = NameFamily::annotated;
  std::string prefix = {}; ///< before every name: "transformer."; of GPT-2 and Llama not before the head's
  std::string head_prefix = {};    ///< before theirs
  bool conv1d = false;             ///< GPT-2's matrices are (d_in, d_out), not nn.Linear's (d_out, d_in)
  bool head = false;               ///< the table of a tied model stands there again, as lm_head
  std::optional<DType> dtype = {}; ///< none: what the model was computed in
};

/// A tensor under our name, as a part of one in the file.
struct TensorSource {
  std::string name;
  Shape shape;
  std::size_t entry = 0;  ///< of the file
  std::size_t first = 0;  ///< its first cell there
  std::size_t column = 0; ///< where it lies transposed: cells from one of our columns to the next; else 0

  /// Where cell i of ours, in C order, stands in the entry.
  std::size_t place(std::size_t i) const {
    return column == 0 ? first + i : first + i % shape[1] * column + i / shape[1];
  }
};

struct NamedSources {
  std::vector<TensorSource> tensors;
  FileScheme scheme;
  Norm norm = Norm::annotated;        ///< standard where norms have nn.LayerNorm's names: weight, bias
  std::vector<std::string> taken_off; ///< prefixes of wrappers, as they stood in the file
  std::vector<std::size_t> masks;     ///< entries of GPT-2's buffers: which keys a query may see

  NameFamily family() const { return scheme.family; }
  /// Whether they are torch.nn.Transformer's and nothing stands around it: no embedding, no generator.
  bool are_layers_alone() const;
  /// Whether they are torch.nn.Transformer's with bias=False: none of its layers has a bias, which is as if
  /// each were 0.
  bool are_without_biases() const;
};

/// Whether our name is of a layer or a final norm, not of what stands around them.
bool is_of_layers(std::string_view name);
/// Whether our name is of a whole model: of its layers or of what stands around them.
bool is_of_model(std::string_view name);
/// Whether our name is a bias's, of a norm too.
bool is_bias(std::string_view name);

/// Whether a tensor belongs to a training, not to the model that it trains.
bool is_of_training(const std::string& name);

/// One of our tensors as another program has it.
struct TheirTensor {
  std::string name;      ///< "h.0.attn.c_attn.weight"
  std::size_t parts = 1; ///< how many of ours it is, one after the other along the outputs
  std::size_t part = 0;  ///< which of them this one is
  bool transposed = false;
};

/// What the program of that scheme calls our tensor, with what stands before it.
TheirTensor their_tensor(const std::string& ours, const FileScheme& scheme);

/// Whether that program has such a tensor.
bool has_place(const std::string& ours, const FileScheme& scheme);

/// The shape there of a tensor of which ours is a part.
Shape their_shape(Shape ours, const TheirTensor& theirs);

/// Every tensor of the file under our name; names of no family stay as they are. What belongs to a training
/// is left out. Throws Error(bad_data) where a projection of q, k and v in one cannot be cut in three.
NamedSources annotated_names(const TensorFile& file);

/// The same of a file of embeddings and a generator.
NamedSources annotated_ends(const TensorFile& file);

} // namespace tfx
