#pragma once
// How many cells run_model_page records beside the parameters: known before anything is computed, so that a
// text too long for the memory is refused at once.

#include "model/config.hpp"

namespace tfx {

/// Tokens of both sides; of a batch the sequences have one length. Estimates are doubles.
struct PageTokens {
  double src = 0, tgt = 0;
  double batch = 1;
  bool src_padded = false, tgt_padded = false; ///< some of them are padding
};

double page_cells(const Config& config, const PageTokens& tokens);

/// The parameters of a model and all that its page records, in double.
double page_bytes(const Config& config, const PageTokens& tokens);

} // namespace tfx
