#pragma once
// What stands around the attention in a Transformer: cross-attention, embeddings, positions, and the parts of
// a layer. Plain Armadillo in double, a token a row, as in formulas.hpp. Source: Vaswani et al. 2017,
// sections 3.1, 3.2.3, 3.3, 3.4 and 3.5; The Annotated Transformer; Hendrycks & Gimpel 2016 for GELU and
// SiLU; Su et al. 2021, "RoFormer"; Touvron et al. 2023, "LLaMA"; Dao et al.
// 2022, "FlashAttention"; Karpathy 2026, "microgpt".

#include "core/architecture.hpp"
#include "page/formulas.hpp"

#include <optional>

namespace tfx::page {

using arma::uvec;
using arma::uword;

// 9 cross — the decoder asks (X), the encoder's output answers (memory)
struct Projections {
  mat W_Q, W_K, W_V;
  rowvec b_Q, b_K, b_V; ///< zeros where there is no bias
};
Attention cross_attention(const mat& X, const mat& memory, const Projections& p);
/// The source mask hides words of the memory.
Attention cross_attention(const mat& X, const mat& memory, const Projections& p, const mat& mask,
                          double masked_row = 0);

// 10 embed — words are numbers of rows, and know where they stand
mat one_hot(const uvec& ids, uword vocabulary);  ///< n × vocabulary: one 1 a row
mat look_up(const mat& E, const uvec& ids);      ///< rows of E: what one_hot·E computes     n × d_model
mat embed(const mat& E, const uvec& ids);        ///< look_up·√d_model
mat angles(const vec& positions, uword d_model); ///< p / 10000^(2⌊j/2⌋/d_model)             n × d_model
mat sinusoids(const mat& angles);                ///< sin in even columns, cos in odd ones
mat sinusoidal_positions(uword n, uword d_model);

// 11 block — X : n × d_model
struct LayerNorm {
  vec mean;       ///< n
  vec spread;     ///< n: std or variance
  vec divisor;    ///< n: std + ε, or √(variance + ε)
  mat centred;    ///< X − mean
  mat normalized; ///< centred / divisor
  mat output;     ///< normalized ⊙ gamma + beta
};
LayerNorm layer_norm(const mat& X, const rowvec& gamma, const rowvec& beta, Norm rule, double epsilon);
inline LayerNorm layer_norm(const mat& X, const rowvec& gamma, const rowvec& beta, Norm rule) {
  return layer_norm(X, gamma, beta, rule, usual_epsilon(rule)); // 1e-6 of annotated, 1e-5 of nn.LayerNorm
}

/// max(0, x), its square, x·Φ(x), x·(1 + tanh(√(2/π)·(x + 0.044715·x³)))/2 or x/(1 + e^−x) of every cell x
mat activated(const mat& hidden, Activation activation);

struct FeedForward {
  mat hidden;    ///< X·W_1 + b_1      n × d_ff
  mat activated; ///< of hidden
  mat output;    ///< activated·W_2 + b_2
};
FeedForward feed_forward(const mat& X, const mat& W_1, const rowvec& b_1, const mat& W_2, const rowvec& b_2,
                         Activation activation = Activation::relu);

mat residual(const mat& X, const mat& Y);                      ///< X + Y
mat dropout(const mat& weights, const mat& keep, double rate); ///< weights ⊙ keep / (1 − rate)

/// Every parameter of an encoder layer.
struct Layer {
  Projections attention;
  mat W_O, W_1, W_2;
  rowvec b_O, b_1, b_2, gamma_1, beta_1, gamma_2, beta_2;
  uword heads = 1;
  Norm rule = Norm::annotated;
  Activation activation = Activation::relu;
  std::optional<double> epsilon = {}; ///< of both norms; none: the rule's usual one
};
/// Heads of queries from X, keys and values from memory, side by side through W_O.
mat multihead_attention(const mat& X, const mat& memory, const Layer& layer, const mat& mask);
mat encoder_layer_norm_first(const mat& X, const Layer& layer, const mat& mask); ///< X + f(norm(X)), twice
mat encoder_layer_norm_last(const mat& X, const Layer& layer, const mat& mask);  ///< norm(X + f(X)), twice

// 12 model — how likely each next token is
mat log_softmax(const mat& logits); ///< logits − ln Σ e^logits along each row

// 17 params — what a model holds, and what a token costs
struct Widths {
  double d, f, N, V, n; ///< d_model, d_ff, layers of a side, vocabulary, tokens of a sequence
};
struct Counts {
  double encoder_layer, decoder_layer, outside, parameters;
  double weight_macs, mixing_macs, macs, flops; ///< of a source token and a target token
  double bytes, training_bytes;
};
Counts counts(const Widths& m);

// 19 gpt — a decoder alone, as microgpt has it: what comes next
mat rms_norm(const mat& X, double epsilon); ///< x / √(mean x² + ε) of every row x

struct DecoderLayer {
  mat W_Q, W_K, W_V, W_O, W_1, W_2; ///< no biases
  uword heads = 1;
};
mat decoder_layer(const mat& X, const DecoderLayer& p, double epsilon); ///< X + f(norm(X)), twice; causal

struct Decoder {
  mat tokens, positions; ///< a row each
  std::vector<DecoderLayer> layers;
  mat W_U; ///< d_model × vocabulary
  double epsilon = 1e-5;
};
mat next_tokens(const uvec& ids, const Decoder& p);               ///< log p        n × vocabulary
double next_token_loss(const mat& log_probs, const uvec& labels); ///< −mean log p of the labels

// 20 rope — queries and keys turn with their place
mat rotary_angles(const vec& positions, uword pairs, double base); ///< p·base^(−j/pairs)    n × pairs
/// Turns columns of A in pairs, a towards b = a + apart: apart = 1 pairs neighbours, the number of pairs
/// halves. The first of them is column a of pair 0, 1, …
uword first_of_pair(uword pair, uword apart);
mat rotated(const mat& A, const mat& angles, uword apart);

// 21 modern — the block of today's models, as Llama has it
struct TodaysBlock {
  mat W_Q, W_K, W_V, W_O; ///< no biases; W_K and W_V are as wide as kv_heads heads
  mat W_1, W_3, W_2;      ///< gate, up, down
  rowvec gain_1, gain_2;
  /// Of d_k numbers, with which each head's queries and keys are normed; empty: they are not.
  rowvec gain_Q, gain_K;
  uword heads = 1, kv_heads = 1;
  double base = 10000, epsilon = 1e-5;
  RotaryPairs pairs = RotaryPairs::halves;
  uword window = 0; ///< tokens that a query sees, itself among them; 0: all before it
};
mat rms_normed(const mat& A, const rowvec& gain, double epsilon);
mat swiglu(const mat& X, const mat& W_1, const mat& W_3, const mat& W_2); ///< (silu(X·W_1) ⊙ X·W_3)·W_2
mat grouped_attention(const mat& X, const TodaysBlock& p); ///< heads / kv_heads of queries a key
mat todays_block(const mat& X, const TodaysBlock& p);      ///< X + f(norm(X)), twice

/// A row of softmax(q·Kᵀ/√d_k)·V, some keys at a time: what is kept between two tiles.
struct RunningRow {
  double max = -arma::datum::inf, sum = 0; ///< of the scaled scores seen; of e^(score − max)
  rowvec output;                           ///< Σ e^(score − max)·v
};
void add_tile(RunningRow& row, const rowvec& scaled, const mat& V);
/// Flash attention: no n × n matrix is ever there. Keys up to the query's own row are seen, of a window the
/// last so many of them.
mat tiled_attention(const mat& Q, const mat& K, const mat& V, uword tile, uword window = 0);
/// Which key a query sees first.
inline uword first_seen(uword query, uword window) {
  return window > 0 && query + 1 > window ? query + 1 - window : 0;
}

// 22 induction — attention alone: what repeats itself
struct AttentionLayer {
  mat W_Q, W_K, W_V, W_O; ///< no biases
  rowvec gain, shift;     ///< of the norm before it
};
struct AttentionAlone {
  mat tokens, positions; ///< a row each
  std::vector<AttentionLayer> layers;
  rowvec gain, shift; ///< of the norm behind the last
  mat W_U;            ///< d_model × vocabulary
  uword heads = 1;
};
mat next_tokens(const uvec& ids, const AttentionAlone& p); ///< log p    n × vocabulary
/// The mean weight just behind the last place where the query's token stood; of a head's weights, n × n.
double induction_score(const mat& weights, const uvec& ids);
/// The last place before q where its token stood; none where it has not.
std::optional<uword> stood_before(const uvec& ids, uword q);
mat copies(const mat& W_E, const mat& W_V, const mat& W_O, const mat& W_U); ///< what reading a token says
/// How well a token as a query fits each as a key that the head before has moved a place on.
mat matches(const mat& W_E, const AttentionLayer& before, const mat& W_Q, const mat& W_K);

// 23 lens — a logit as a sum of what each part wrote
/// w·(γ ⊙ (x − mean)/divisor) = x·direction for every x, if the divisor is held.
rowvec direction(const rowvec& w, const rowvec& gain, double divisor); ///< (γ ⊙ w − mean)/divisor
vec logit_terms(const mat& parts, const rowvec& direction);            ///< a number for each row of parts

} // namespace tfx::page
