#pragma once
// What a part of the model does, seen by taking it away: the page's run again with a part that adds nothing,
// or with attention that looks everywhere alike. Source: Michel et al. 2019, "Are Sixteen Heads Really Better
// than One?", section 2.
//
//   encoder.layers.0                     a layer: each of its sublayers adds nothing
//   encoder.layers.0.self_attn           a sublayer adds nothing; so src_attn, feed_forward
//   encoder.layers.0.self_attn.head.2    this head's mixture is 0; the others and b_O stay
//   src_embed.pe, tgt_embed.pe           no positions, where they are added to the words
//   encoder.angles, decoder.angles       no positions, where they turn queries and keys
//   memory                               the decoder sees nothing of the source
//
// Or what it does is taken from a run on another text: it writes what it wrote there. Source: Vig et al.
// 2020, "Investigating Gender Bias in Language Models Using Causal Mediation Analysis"; Meng et al. 2022.

#include "trace/trace.hpp"

#include <string>
#include <vector>

namespace tfx {

struct Intervention {
  enum class Kind {
    without, ///< the part adds nothing
    uniform, ///< attention weights of 1/n each, over the n keys that a query may see
    patched  ///< the part writes what it writes in another run
  } kind = Kind::without;
  std::string part; ///< a head or an attention, where the kind is uniform
};

bool is_head(const std::string& part);
bool is_sublayer(const std::string& part); ///< not of a head of one

/// The parts of a model that can be left out, in its order.
std::vector<std::string> parts_to_leave_out(const Trace& page);

/// Those whose weights can be uniform: every attention, and every head of it.
std::vector<std::string> parts_to_make_uniform(const Trace& page);

/// Throws Error(usage) for the first of the parts that `option` names and that is not among `known`, with one
/// that is near.
void require_parts(const std::string& option, const std::vector<std::string>& parts,
                   const std::vector<std::string>& known);

/// Whether `other`, a run of the same model, has numbers to put into `part` of `page`: as many rows there.
bool can_patch(const Trace& page, const Trace& other, const std::string& part);

/// The log-probabilities of the run with all of these at once; of an encoder alone its memory. `page` is a
/// run of run_model_page, and each part is one of its parts. `other`: whose numbers patches take; can_patch
/// holds of each.
Tensor log_probs_with(const Trace& page, const std::vector<Intervention>& made, const Trace* other = nullptr);

} // namespace tfx
