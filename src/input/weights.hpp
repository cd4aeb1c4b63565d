#pragma once
// Weights from --weights: under the page's own names whatever the file has; a module under another program's
// names whole, or not at all.

#include "core/tensor.hpp"
#include "input/options.hpp"

#include <map>
#include <string>
#include <vector>

namespace tfx {

struct Weights {
  std::map<std::string, Tensor> tensors;    ///< W_… and tables (2-D), b_…, gain_… and shift_… (1-D)
  std::map<std::string, std::string> names; ///< in the file, of those that are called otherwise there
  std::vector<std::string> ignored;         ///< names in the file of what is not read
  std::vector<std::string> notes;           ///< what the learner should know of the names

  bool is_module() const { return !names.empty(); }
  /// "W_Q", or "W_Q (q_proj.weight)".
  std::string shown(const std::string& name) const;
};

/// Names of parameters beyond those of the attention, that a lesson of this stage reads.
std::vector<std::string> parameter_names(Stage stage);

/// The file of --weights. Throws Error(bad_data) where it has no tensor that the stage reads, where a
/// tensor's shape makes none, and, without --draw-rest, where only a part of a module could be read.
Weights load_weights(const InputOptions& options, Stage stage);

} // namespace tfx
