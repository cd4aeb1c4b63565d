#pragma once
// What the lesson proves on top of one decoded text: properties of the searches, and what a mistake of its
// own does to a model that reads what it wrote.

#include "parity/decoding.hpp"

namespace tfx::decoding {

/// Adds checks and facts to decoded.trace: the tokens are the same with and without the cache; a beam of 1 is
/// greedy; on a vocabulary of four, a beam that keeps all is exhaustive search; what follows a greedy
/// token that is replaced by its runner-up.
void prove(Decoded& decoded, const EncoderDecoder<double>& model, const ModelCard& card,
           const Request& request);

} // namespace tfx::decoding
