#pragma once
// An architecture as data, and its sums: modules under the names of PyTorch's state_dicts, the tensors they
// hold and the operations they do in one forward pass, walked and added up with their formulas. Nothing is
// allocated. An operation costs, beside 2 FLOP a multiply-add, for each cell of its output: bias, residual,
// scale, ReLU 1 · softmax 5 (max, subtract, exp, sum, divide) · LayerNorm 7 (mean, subtract, square, sum,
// divide, gamma, shift) · RMSNorm 4 · BatchNorm 4 (subtract, divide, gamma, shift) · GELU 5 with erf, 9 with
// tanh · SiLU 4 · rotary positions 3 · pooling: its window · look-ups 0.

#include "architecture/figure.hpp"

#include <string>
#include <vector>

namespace tfx::params {

enum class TensorKind { parameter, buffer };

struct TensorSpec {
  std::string name;          ///< "weight"
  std::vector<Figure> shape; ///< as PyTorch has it: (d_out, d_in)
  TensorKind kind = TensorKind::parameter;
  std::string tied_to = {}; ///< the whole name of the tensor it is: counted there, not here

  friend bool operator==(const TensorSpec&, const TensorSpec&) = default;
};

enum class LayerOperationKind { lookup, linear, convolution, matmul, softmax, norm, activation, add, pool };

struct LayerOperation {
  LayerOperationKind kind;
  Figure macs;  ///< multiply-adds of its product
  Figure other; ///< FLOP beside them
  Figure cells; ///< of its output: what a backward pass keeps
  Figure hook;  ///< what thop's hook on this module adds to its sum of "MACs"

  friend bool operator==(const LayerOperation&, const LayerOperation&) = default;
};

enum class ModuleKind {
  unit,  ///< a line of its own on the screen
  group, ///< only its children stand there
  layer  ///< one of several; equal neighbours are folded, with their children below
};

struct Module {
  std::string name; ///< relative to its parent: "self_attn", "layers.0"
  ModuleKind kind = ModuleKind::unit;
  std::vector<TensorSpec> tensors = {};
  std::vector<LayerOperation> operations = {};
  std::vector<Module> children = {};
};

/// Whether they differ in nothing but their own names.
bool equal_but_for_name(const Module& a, const Module& b);

enum class Bias { yes, no };

/// nn.Linear on so many tokens.
Module linear(const std::string& name, const Figure& tokens, const Figure& in, const Figure& out,
              Bias bias = Bias::yes);

/// nn.Embedding: a table of `rows` vectors, looked up for so many tokens.
Module embedding(const std::string& name, const Figure& tokens, const Figure& rows, const Figure& width);

/// nn.LayerNorm.
Module layer_norm(const std::string& name, const Figure& tokens, const Figure& width);

/// What stands between the projections of an attention: Q·Kᵀ / √d_k, softmax, weights·V. No module does them:
/// a counter that hangs hooks on modules misses them. `width` is that of all heads together.
struct AttentionSize {
  Figure batch, heads, queries, keys, width;
};
std::vector<LayerOperation> attention_products(const AttentionSize& size);

/// `each` FLOP for every one of the cells.
LayerOperation elementwise(LayerOperationKind kind, const Figure& cells, std::uint64_t each);

struct Totals {
  Figure parameters;  ///< a tied tensor is counted where it lives, and 0 elsewhere
  Figure buffers;     ///< elements
  Figure macs, other; ///< FLOP = 2 × MAC + other
  Figure cells;       ///< of every operation's output
  Figure hook;        ///< what a counter with hooks on modules says (thop)
  Figure seen;        ///< multiply-adds of products that such a counter sees

  std::size_t tied = 0;    ///< tensors that are counted elsewhere
  std::size_t tensors = 0; ///< all of them

  Figure flops() const { return macs * 2 + other; }
  Totals& operator+=(const Totals& other_totals);
};

/// 0 for a tensor that is tied to another one.
Figure elements(const TensorSpec& tensor);

/// Of a module with everything below it.
Totals totals(const Module& module);

/// Multiply-adds of one kind of operation below a module.
Figure macs_of(const Module& module, LayerOperationKind kind);

struct NamedTensor {
  std::string name; ///< whole: "encoder.layers.0.self_attn.linears.0.weight"
  TensorSpec tensor;
};

/// Every tensor below the module, in the order of the state_dict.
std::vector<NamedTensor> tensors_of(const Module& module);

/// "encoder" and "norm" → "encoder.norm"; one of them may be empty.
std::string join(const std::string& prefix, const std::string& name);

} // namespace tfx::params
