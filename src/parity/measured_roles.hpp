#pragma once
// What every head of a model does over a set of pairs, and what the answer loses without it.

#include "model/encoder_decoder.hpp"
#include "model/head_roles.hpp"

namespace tfx {

/// How well the model says the right tokens, each behind the right ones before it.
struct SaidRight {
  double log_probability = 0; ///< of a right token, the mean
  double share = 0;           ///< of positions where the right token is the most probable one
};

struct MeasuredRoles {
  std::vector<HeadScores> heads;
  SaidRight whole;
  std::vector<SaidRight> without; ///< a head each: its mixture is 0, the other heads and W_O's bias stay
};

/// The part of each head's attention that falls on what rules name, over all pairs.
template <class Real>
std::vector<HeadScores> head_scores(const EncoderDecoder<Real>& model, const std::vector<RolePair>& pairs);

/// The model without a head: what of W_O reads its mixture is 0. `part`: "encoder.layers.0.self_attn.head.2".
template <class Real>
EncoderDecoder<Real> without_head(EncoderDecoder<Real> model, const std::string& part);

/// `right`: for each pair the token that each place of its tgt should say. Tells progress.
template <class Real>
SaidRight said_right(const EncoderDecoder<Real>& model, const std::vector<RolePair>& pairs,
                     const std::vector<TokenIds>& right);

template <class Real>
MeasuredRoles measured_roles(const EncoderDecoder<Real>& model, const std::vector<RolePair>& pairs,
                             const std::vector<TokenIds>& right);

} // namespace tfx
