#pragma once
// A whole model, encoder-decoder or one of the two alone, as steps of a trace, in plain double, a token a
// row: what `tfx explain model` reads, and what the engine is compared with. It also says how many cells a
// run records, before anything is computed, so that a text too long for the memory is refused at once.
// Source: Vaswani et al. 2017, section 3; The Annotated Transformer; Radford et al. 2019 for a decoder alone.

#include "model/model_spec.hpp"
#include "model/transformer.hpp"
#include "page/layer_formulas.hpp"
#include "trace/trace.hpp"

#include <map>
#include <optional>

namespace tfx {

/// Tokens of both sides, 0 of one that the model has not; of a batch the sequences have one length. Estimates
/// are doubles.
struct PageTokens {
  double src = 0, tgt = 0;
  double batch = 1;
  bool src_padded = false, tgt_padded = false; ///< some of them are padding
};

double page_cells(const ModelSpec& spec, const PageTokens& tokens);

/// The parameters of a model and all that its page records, in double.
double page_bytes(const ModelSpec& spec, const PageTokens& tokens);

// Lesson model: the steps have the engine's names (encoder.layers.0.self_attn.weights …); between them stand
// the parts that the engine does not keep (…linears.0, …masked, …norm.mean). A weight is the state_dict's,
// (d_out, d_in), and what multiplies by it is torch.nn.Linear: x·Wᵀ + b. Where no norm follows the last
// layer, that layer's output is the memory, or decoder.output.

struct ModelPage {
  ModelSpec spec;                           ///< its sizes are the parameters' own
  std::map<std::string, Tensor> parameters; ///< by the state_dict's names, in PyTorch's shapes
  Tensor src, tgt; ///< token ids: (n), or (batch, n) rows of equal length; of the sides that the model has
  std::vector<std::string> src_tokens = {}, tgt_tokens = {}; ///< of one sequence: the words of its ids
  double pad = 0;                                            ///< the id that nobody may see
  std::optional<Tensor> labels = {};                         ///< a token for each of tgt: the run has "loss"
  double smoothing = 0;
  bool backward = false; ///< and d.NAME for every NAME that the loss moves with, without labels the mean of
                         ///< what the run ends with
};

/// What its run is as large as; `pad` is the id that nobody may see. Batches as Inputs takes them.
PageTokens tokens_on_page(const Batch& src, const Batch& tgt, std::uint32_t pad);

/// The engine's model on the page: the same weights and tokens in plain double. Throws Error(no_memory) where
/// its run would not fit. Batches as Inputs takes them, the sequences of each of one length.
template <class Real>
ModelPage page_of(const Transformer<Real>& model, const Batch& src, const Batch& tgt, std::uint32_t pad);

/// Every activation and what it was made of, up to log_probs; of an encoder alone up to memory.
Trace run_model_page(ModelPage model);

} // namespace tfx
