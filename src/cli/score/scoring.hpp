#pragma once
// A trained model measured on pairs: what it answers to each source, and how probable it finds the reference.

#include "cli/decode/decoding.hpp"
#include "measure/translation.hpp"
#include "train/pairs_file.hpp"

#include <functional>

namespace tfx {

/// A pair as the model reads it.
struct EncodedPair {
  TokenIds src, tgt; ///< tgt from its start to its end, where the model's targets have one
  bool has_unknown = false;
};

/// Throws what encoding throws, and Error(bad_data) where a side is longer than the model takes.
EncodedPair encode_pair(const Pair& pair, const Transformer<double>& model, const ModelCard& card,
                        const DecodeLimits& limits);

struct ScoredPair {
  std::string answer;
  PairCounts counts; ///< with the loss of the reference's tokens
};

/// In order. `tell` hears how many are answered, before each few.
template <class Real>
std::vector<ScoredPair> score_pairs(const Transformer<Real>& model, const ModelCard& card,
                                    const std::vector<Pair>& pairs, const std::vector<EncodedPair>& encoded,
                                    const DecodeRequest& request,
                                    const std::function<void(std::size_t)>& tell);

/// How far the log-probabilities of a narrowed model are from those in double: the largest absolute
/// difference, over the references as they are read and all tokens that might come next.
double reference_move(const Transformer<double>& model, const Transformer<float>& floats,
                      const std::vector<EncodedPair>& encoded);

} // namespace tfx
