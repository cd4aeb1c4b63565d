#include "cli/score/scoring.hpp"

#include "core/error.hpp"

#include <algorithm>

namespace tfx {

namespace {

enum class Side { source, target };

void require_length(const TokenIds& ids, std::size_t max_len, Side side) {
  if (ids.size() <= max_len) return;
  const std::initializer_list<Named> values{{"tokens", ids.size()}, {"most", max_len}};
  throw Error(ErrorKind::bad_data,
              side == Side::source
                  ? said("the source has {tokens} tokens, the model takes at most {most}", values)
                  : said("the target has {tokens} tokens, the model takes at most {most}", values),
              said("cut the text into shorter pairs"));
}

constexpr std::size_t at_once = 16; // keeps keys, values and log-probabilities small

/// log p of every token after each beginning of the references first … end − 1, a column a beginning.
template <class Real>
arma::Mat<Real> reference_log_probs(const Transformer<Real>& model, const std::vector<EncodedPair>& pairs,
                                    std::size_t first, std::size_t end) {
  std::vector<TokenIds> src, read;
  for (std::size_t i = first; i < end; ++i) {
    src.push_back(pairs[i].src);
    read.emplace_back(pairs[i].tgt.begin(), pairs[i].tgt.end() - 1);
  }
  return forward(model, {ragged_batch(src), ragged_batch(read)});
}

/// Adds to each pair Σ −ln p(token | those before it) of its reference.
template <class Real>
void add_losses(const Transformer<Real>& model, const std::vector<EncodedPair>& pairs,
                std::vector<ScoredPair>& scored, std::size_t first, std::size_t end) {
  const arma::Mat<Real> log_probs = reference_log_probs(model, pairs, first, end);
  arma::uword column = 0;
  for (std::size_t i = first; i < end; ++i) {
    PairCounts& counts = scored[i].counts;
    counts.loss_tokens = pairs[i].tgt.size() - 1;
    for (std::size_t t = 1; t < pairs[i].tgt.size(); ++t, ++column)
      counts.loss -= static_cast<double>(log_probs(pairs[i].tgt[t], column));
  }
}

} // namespace

EncodedPair encode_pair(const Pair& pair, const Transformer<double>& model, const ModelCard& card,
                        const DecodeLimits& limits) {
  EncodedPair encoded{card.src.encode(pair.source), {limits.start}, false};
  const TokenIds reference = card.tgt.encode(pair.target);
  encoded.tgt.insert(encoded.tgt.end(), reference.begin(), reference.end());
  if (limits.end) encoded.tgt.push_back(*limits.end);
  require_length(encoded.src, model.spec.max_len, Side::source);
  require_length(reference, model.spec.max_len - 1, Side::target);
  encoded.has_unknown = card.src.holds_unknown(encoded.src) || card.tgt.holds_unknown(reference);
  return encoded;
}

template <class Real>
std::vector<ScoredPair> score_pairs(const Transformer<Real>& model, const ModelCard& card,
                                    const std::vector<Pair>& pairs, const std::vector<EncodedPair>& encoded,
                                    const DecodeRequest& request,
                                    const std::function<void(std::size_t)>& tell) {
  std::vector<ScoredPair> scored(pairs.size());
  for (std::size_t first = 0; first < pairs.size(); first += at_once) {
    tell(first);
    const std::size_t end = std::min(first + at_once, pairs.size());
    std::vector<TokenIds> sources;
    for (std::size_t i = first; i < end; ++i) sources.push_back(encoded[i].src);
    const std::vector<TokenIds> answers = decode_batch(model, sources, request);
    for (std::size_t i = first; i < end; ++i) {
      scored[i].answer = card.tgt.decode(answers[i - first]);
      scored[i].counts = compare_pair(scored[i].answer, pairs[i].target);
    }
    add_losses(model, encoded, scored, first, end);
  }
  return scored;
}

double reference_move(const Transformer<double>& model, const Transformer<float>& floats,
                      const std::vector<EncodedPair>& encoded) {
  double worst = 0;
  for (std::size_t first = 0; first < encoded.size(); first += at_once) {
    const std::size_t end = std::min(first + at_once, encoded.size());
    worst = std::max(worst, largest_move(reference_log_probs(model, encoded, first, end),
                                         reference_log_probs(floats, encoded, first, end)));
  }
  return worst;
}

template std::vector<ScoredPair> score_pairs(const Transformer<float>&, const ModelCard&,
                                             const std::vector<Pair>&, const std::vector<EncodedPair>&,
                                             const DecodeRequest&, const std::function<void(std::size_t)>&);
template std::vector<ScoredPair> score_pairs(const Transformer<double>&, const ModelCard&,
                                             const std::vector<Pair>&, const std::vector<EncodedPair>&,
                                             const DecodeRequest&, const std::function<void(std::size_t)>&);

} // namespace tfx
