#pragma once
// The state_dict of an attention module or an encoder layer as the page takes it. PyTorch's Linear keeps its
// weight as (d_out, d_in) and computes x·weightᵀ; the page's W is (d_in, d_out), used as X·W: the transpose.

#include "io/array.hpp"

#include <vector>

namespace tfx {

/// Arrays under the page's names where they have those of a tutorial's module or of nn.MultiheadAttention;
/// the others as they are.
///   q_linear k_linear v_linear out   fun-transformer        W_Q W_K W_V W_O, and b_… of their biases
///   wq wk wv wo                      happy-llm
///   linears.0 … linears.3            annotated
///   in_proj_weight, in_proj_bias     torch.nn.MultiheadAttention: q, k and v in one; out_proj. Where the
///   first
///                                    axis is no three parts, the name stays
/// Of an encoder layer these with self_attn. before them, and
///   linear1, linear2, norm1, norm2   torch.nn.TransformerEncoderLayer: W_1 b_1 W_2 b_2, gain_1 shift_1 …
///   feed_forward.w_1, sublayer.0.norm.a_2 …   annotated, EncoderLayer
std::vector<NamedArray> with_page_names(std::vector<NamedArray> arrays);

} // namespace tfx
