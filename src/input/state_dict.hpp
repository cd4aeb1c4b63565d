#pragma once
// What of a state_dict is the attention module, or the encoder layer, that a lesson takes: under other
// programs' names a module is read whole or not at all. PyTorch's Linear keeps its weight as (d_out, d_in)
// and computes x·weightᵀ; the page's W is (d_in, d_out), used as X·W: the transpose. A matrix under a bare
// name (wq, W_query) is used as X·W.

#include "input/lesson_input.hpp"
#include "io/array_file.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tfx {

/// A parameter under the page's name, as a part of an entry of the file.
struct PageTensor {
  std::string name; ///< "W_Q"
  std::size_t entry = 0;
  bool transposed = false;
  std::optional<std::size_t> third = {}; ///< of the first axis: Q, K and V stand there below one another
};

/// A program whose layers compute in one way only, and the options of block that do so too.
struct LayerProgram {
  std::string_view name, options;
};

struct StateDict {
  std::vector<PageTensor> tensors;    ///< those under the page's own names too
  std::vector<std::size_t> unknown;   ///< entries of other modules, or of none
  std::vector<std::size_t> left_over; ///< entries of the module that no lesson computes with
  std::vector<std::string> modules; ///< the attention modules of other programs' names: "layers.0.self_attn"
  std::vector<std::string> missing; ///< what the module lacks, by its program's names
  std::vector<std::string> taken_off; ///< prefixes of wrappers
  std::string read_from;              ///< what else stands before the names of the module
  bool of_torch_layer = false;        ///< nn.TransformerEncoderLayer's names: its norm is nn.LayerNorm
  LayerProgram program = {};          ///< whose encoder layer it is; empty where its names do not say so
  bool is_rotary = false;             ///< Llama's names
};

/// The names of the file, as a lesson reads them. With several modules nothing is read.
///   q_linear k_linear v_linear out         fun-transformer        W_Q W_K W_V W_O, and b_… of their biases
///   wq wk wv wo                            happy-llm
///   linears.0 … linears.3                  annotated
///   in_proj_weight, in_proj_bias           torch.nn.MultiheadAttention: q, k and v in one; out_proj
///   q_proj_weight k_proj_weight …          the same with kdim and vdim
/// and those of attention_names(). Of an encoder layer these with self_attn., attention. or slf_attn. before
/// them, and
///   linear1, linear2, norm1, norm2         torch.nn.TransformerEncoderLayer: W_1 b_1 W_2 b_2, gain_1 shift_1
///   … feed_forward.w_1, sublayer.0.norm.a_2  annotated, EncoderLayer
///   ffn.linear1, norm1.gamma …             hyunwoongko/transformer
///   pos_ffn.w_1, slf_attn.layer_norm …     jadore801120/attention-is-all-you-need-pytorch
StateDict state_dict_of(const TensorFile& file, const InputRules& lesson,
                        const std::vector<std::string>& page_names);

/// Whether an attention module of this name may be an encoder layer's: "layers.0.self_attn".
bool is_in_encoder_layer(std::string_view module);

/// "q_proj/k_proj/v_proj/out_proj, wq/wk/wv/wo, …": the attention modules that are known.
std::string known_attention_names();

} // namespace tfx
