#include "trace/how.hpp"

namespace tfx {

std::string_view name_of(Op op) {
  switch (op) {
  case Op::given: return "given";
  case Op::matmul: return "matmul";
  case Op::matmul_transposed: return "matmul_transposed";
  case Op::weighted_sum: return "weighted_sum";
  case Op::add: return "add";
  case Op::subtract: return "subtract";
  case Op::divide_by: return "divide_by";
  case Op::exp: return "exp";
  case Op::row_max: return "row_max";
  case Op::row_sum: return "row_sum";
  case Op::normalize: return "normalize";
  case Op::softmax: return "softmax";
  case Op::mask_fill: return "mask_fill";
  case Op::causal_mask: return "causal_mask";
  case Op::padding_mask: return "padding_mask";
  case Op::both: return "both";
  case Op::gather: return "gather";
  case Op::split_heads: return "split_heads";
  case Op::merge_heads: return "merge_heads";
  case Op::first_max: return "first_max";
  case Op::row_norm: return "row_norm";
  case Op::cosine: return "cosine";
  case Op::distance: return "distance";
  case Op::entropy: return "entropy";
  case Op::row_mean: return "row_mean";
  case Op::row_variance: return "row_variance";
  case Op::row_std: return "row_std";
  case Op::sqrt: return "sqrt";
  case Op::add_constant: return "add_constant";
  case Op::multiply_by: return "multiply_by";
  case Op::multiply: return "multiply";
  case Op::relu: return "relu";
  case Op::log_softmax: return "log_softmax";
  case Op::angle: return "angle";
  case Op::sin_cos: return "sin_cos";
  case Op::one_hot: return "one_hot";
  case Op::smoothed_target: return "smoothed_target";
  case Op::divergence: return "divergence";
  case Op::mean: return "mean";
  case Op::uniform: return "uniform";
  case Op::total: return "total";
  case Op::sum_over: return "sum_over";
  case Op::transposed_matmul: return "transposed_matmul";
  case Op::mask_keep: return "mask_keep";
  case Op::scatter: return "scatter";
  case Op::softmax_gradient: return "softmax_gradient";
  case Op::log_softmax_gradient: return "log_softmax_gradient";
  case Op::entropy_gradient: return "entropy_gradient";
  case Op::relu_gradient: return "relu_gradient";
  case Op::divisor_gradient: return "divisor_gradient";
  case Op::sqrt_gradient: return "sqrt_gradient";
  case Op::variance_gradient: return "variance_gradient";
  case Op::std_gradient: return "std_gradient";
  }
  return "?";
}

} // namespace tfx
