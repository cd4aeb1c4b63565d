#pragma once
// The learner's files: read, and checked against what a lesson can take.

#include "core/tensor.hpp"

#include <map>
#include <string>
#include <vector>

namespace tfx {

/// A matrix (n, d) or a batch of them (B, n, d) for an option; Error(bad_data) with the shape for anything
/// else.
Tensor load_matrices(const std::string& path, const std::string& option);

/// 0 and 1 only; 2-D (n_q, n_k) or with leading axes. `heads`: a batch of masks gets an axis for the heads.
Tensor load_mask(const std::string& path, bool heads);

struct Weights {
  std::map<std::string, Tensor> tensors; ///< W_… and tables (2-D), b_…, gain_… and shift_… (1-D)
  std::vector<std::string> ignored;      ///< other names in the file
};
/// W_Q W_K W_V W_O, b_Q b_K b_V b_O, and what `more` names.
Weights load_weights(const std::string& path, const std::vector<std::string>& more = {});

} // namespace tfx
