#pragma once
// One text decoded: what was written, how sure the model was of every token, and where it looked. On top of
// it stands what the lesson proves: properties of the searches, and what a mistake of its own does to a model
// that reads what it wrote.

#include "model/model_card.hpp"
#include "model/search.hpp"
#include "model/weights.hpp"
#include "trace/trace.hpp"

namespace tfx {

enum class DecodeMethod { greedy, beam, sample };

struct DecodeRequest {
  DecodeLimits limits;
  DecodeMethod method = DecodeMethod::greedy;
  Beam beam = {};
  Sampling sampling = {};
  Prefix prefix = Prefix::cached;
};

struct WrittenToken {
  std::uint32_t token = 0, runner_up = 0; ///< the most probable of the others
  double log_prob = 0, runner_up_log_prob = 0;
  Choice drawn = {};    ///< sampling: with what probability
  std::size_t kept = 0; ///< sampling: out of how many tokens
};

/// What weights in fewer bits gain and lose.
struct Narrowing {
  WeightType type = WeightType::f32;
  std::uint64_t bytes = 0, float_bytes = 0; ///< of the weights that a token reads, and as floats
  double difference = 0; ///< the largest of a log-probability from the model in double, where it was measured
};

/// `floats` is the model as model/weights.hpp leaves it with that type; `difference` was measured.
Narrowing narrowing_of(const Transformer<double>& model, const Transformer<float>& floats, WeightType type,
                       double difference);

/// The largest absolute difference of two matrices of log-probabilities.
double largest_move(const arma::mat& exact, const arma::fmat& rounded);

struct Decoded {
  TokenIds src, tokens;              ///< tokens without start and end
  std::vector<WrittenToken> written; ///< the end included
  double sum = 0;                    ///< of their log-probabilities
  double score = 0;                  ///< of a beam: sum / penalty(length)
  std::optional<BeamTree> tree = {};
  std::optional<Narrowing> narrowing = {}; ///< over all steps and tokens
  TokenIds exact_tokens = {}; ///< where it was narrowed: what the model writes with its own weights in double
  Trace trace;                ///< alignment, every layer's source weights, log_probs; facts; checks
};

/// The tokens of every row of a batch; a beam takes a row after the other.
template <class Real>
std::vector<TokenIds> decode_batch(const Transformer<Real>& model, const std::vector<TokenIds>& src,
                                   const DecodeRequest& request);

/// Checks: one masked pass over what was written gives every step's log-probabilities.
template <class Real>
Decoded decode_text(const Transformer<Real>& model, const ModelCard& card, const TokenIds& src,
                    const DecodeRequest& request);

/// `floats` is the model as model/weights.hpp leaves it with that type, `decoded` what it wrote. Fills
/// decoded.narrowing and exact_tokens, and facts for the words.
void state_narrowing(Decoded& decoded, const Transformer<double>& model, const Transformer<float>& floats,
                     WeightType type, const ModelCard& card, const DecodeRequest& request);

/// Where a target that is read, not written, looks: the last layer's cross-attention, the mean of its heads,
/// (tokens that are to be written) × (tokens of the source).
Step alignment_of(const Transformer<double>& model, const ModelCard& card, const TokenIds& src,
                  const TokenIds& tgt);

struct Repeated {
  TokenIds tokens;
  std::size_t times = 0;
};

/// The three tokens in a row that stand most often in a text, overlaps counted; nothing where none stands
/// four times: then the text does not go round.
std::optional<Repeated> repeated_tokens(const TokenIds& text);

/// A token as the card's vocabulary of the target writes it.
std::string token_name(const Vocabulary& vocabulary, std::uint32_t id);

/// Adds checks and facts to decoded.trace: the tokens are the same with and without the cache; a beam of 1 is
/// greedy; on a vocabulary of four, a beam that keeps all is exhaustive search; what follows a greedy
/// token that is replaced by its runner-up.
void prove_decoding(Decoded& decoded, const Transformer<double>& model, const ModelCard& card,
                    const DecodeRequest& request);

} // namespace tfx
