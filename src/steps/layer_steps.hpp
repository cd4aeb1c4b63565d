#pragma once
// The parts of a layer as steps of a trace, under the names that the lesson chooses, so that the page of one
// layer and that of a whole model add the same steps; and a run's tensors as arguments of the page's
// formulas, with which the experiments compute again.

#include "input/lesson_input.hpp"
#include "page/layer_formulas.hpp"
#include "trace/trace.hpp"

#include <functional>
#include <optional>
#include <string>

namespace tfx {

/// W_Q … b_V of the trace; a bias that it does not have is zeros.
page::Projections projections_of(const Trace& trace);

/// Every parameter of an encoder layer.
page::Layer layer_of(const Trace& trace, const LessonInput& input);

/// The first matrix of "mask", or ones (n_q × n_k).
arma::mat first_mask(const Trace& trace, arma::uword n_q, arma::uword n_k);

/// How many cells differ by more than rounding. The matrices have the same size.
double count_different(const arma::mat& a, const arma::mat& b);

/// A step's own name, made of its plain one: "mean" → "mean_1", "hidden" → "encoder.layers.0.hidden".
using StepNames = std::function<std::string(const std::string&)>;

struct NormStep {
  std::string X, gamma, beta; ///< tensors that the trace has; gamma and beta may be empty: there is none
  std::string output;         ///< the last step's name, used as it is
  Norm rule;
  std::optional<double> epsilon = {}; ///< none: the rule's usual one
};
/// LayerNorm in its parts: mean, centred, std (or variance), divisor, normalized, gained, and the output; of
/// RMSNorm squares and mean_square in place of the first three.
/// Throws Error(usage) for one column under Norm::annotated: one number has no sample deviation.
void add_layer_norm(Trace& trace, const NormStep& norm, const StepNames& name, Role role);

struct FeedForwardStep {
  std::string X, W_1, b_1, W_2, b_2; ///< tensors that the trace has; a bias may be empty: there is none
  std::string output;
  Activation activation = Activation::relu;
  const Op& product = op::matmul; ///< of X, W and b; matmul_transposed where W is torch.nn.Linear's
  std::string W_3 = {}, b_3 = {}; ///< of the gate, which multiplies what is activated; empty: there is none
  std::string keep = {};          ///< of dropout on the hidden numbers; empty: there is none
  double dropout = 0;
};
const Op& operation_of(Activation activation);

/// hidden, activated, where there is a gate the factor and gated, in training kept_hidden and dropped_hidden,
/// and the output.
void add_feed_forward(Trace& trace, const FeedForwardStep& layer, const StepNames& name, Role role);

/// output = X + Y.
void add_residual(Trace& trace, const std::string& output, const std::string& X, const std::string& Y,
                  Role role);

/// kept = weights ⊙ keep, dropped = kept/(1 − rate), where `keep` is a tensor of 0 and 1.
void add_dropout(Trace& trace, const std::string& of, const std::string& keep, double rate, Role role,
                 const std::string& suffix = "");

} // namespace tfx
