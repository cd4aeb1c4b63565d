#pragma once
// What a blueprint holds and does: its tensors and operations walked and summed, with their formulas.

#include "architecture/blueprint.hpp"

namespace tfx::params {

struct Totals {
  Figure parameters;  ///< a tied tensor is counted where it lives, and 0 elsewhere
  Figure buffers;     ///< elements
  Figure macs, other; ///< FLOP = 2 × MAC + other
  Figure cells;       ///< of every operation's output
  Figure hook;        ///< what a counter with hooks on modules says (thop)
  Figure seen;        ///< multiply-adds of products that such a counter sees

  std::size_t tied = 0; ///< tensors that are counted elsewhere

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
