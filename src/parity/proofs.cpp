#include "parity/proofs.hpp"

#include "core/number.hpp"
#include "model/init.hpp"
#include "model/presets.hpp"

#include <algorithm>

namespace tfx::decoding {

namespace {

/// All targets of a model with a vocabulary so small that each can be computed.
class Exhaustive {
public:
  Exhaustive(const EncoderDecoder<double>& model, const Batch& src, const DecodeLimits& limits)
      : model_(model), src_(src), limits_(limits) {
    extend({}, 0);
  }

  std::size_t count = 0;
  TokenIds best;
  double best_sum = 0;

private:
  void extend(const TokenIds& tokens, double sum) {
    if (tokens.size() == limits_.max_tokens) return take(tokens, sum);
    TokenIds inputs{limits_.start};
    inputs.insert(inputs.end(), tokens.begin(), tokens.end());
    const arma::Mat<double> log_probs = forward(model_, src_, ragged_batch({inputs}));
    for (std::uint32_t token = 0; token < log_probs.n_rows; ++token) {
      const double longer = sum + static_cast<double>(log_probs(token, tokens.size()));
      if (token == limits_.end) {
        take(tokens, longer);
        continue;
      }
      TokenIds next = tokens;
      next.push_back(token);
      extend(next, longer);
    }
  }

  void take(const TokenIds& tokens, double sum) {
    if (count++ > 0 && sum <= best_sum) return;
    best = tokens, best_sum = sum;
  }

  const EncoderDecoder<double>& model_;
  const Batch& src_;
  const DecodeLimits& limits_;
};

void prove_exhaustive(Trace& trace) {
  Config config = preset("toy");
  config.tgt_vocab = 4;
  EncoderDecoder<double> model(config);
  initialize(model, WeightInit::xavier_uniform, 42);
  const Batch src = ragged_batch({{1, 2, 3}});
  const DecodeLimits limits{1, 2u, 4};
  const Exhaustive all(model, src, limits);
  const BeamTree widest = beam_search(model, src, limits, {all.count, 0}),
                 narrow = beam_search(model, src, limits, {1, 0});
  const std::size_t best = widest.ranked.at(0);
  const double greedy_sum = narrow.nodes[narrow.ranked.at(0)].sum;
  trace.facts["all_targets"] = static_cast<double>(all.count);
  trace.check("exhaustive", widest.ranked.size() == all.count && widest.tokens(best) == all.best,
              widest.nodes[best].sum);
  if (greedy_sum < all.best_sum) {
    trace.facts["greedy_sum"] = greedy_sum;
    trace.facts["best_sum"] = all.best_sum;
  }
}

/// Greedy, but with `other` at step `at`: tokens without start and end.
TokenIds with_another(const EncoderDecoder<double>& model, const Batch& src, const DecodeLimits& limits,
                      std::size_t at, std::uint32_t other) {
  const ChooseToken choose = [&](const std::vector<double>& log_probs, std::size_t step, std::size_t) {
    const auto best = std::max_element(log_probs.begin(), log_probs.end()) - log_probs.begin();
    return step == at ? other : static_cast<std::uint32_t>(best);
  };
  return write_tokens(model, src, limits, Prefix::cached, choose)[0];
}

/// The first token whose runner-up in its place changes what follows. Of a greedy text alone: what a draw or
/// a beam would write after another token is not said.
void speak_of_own_errors(Decoded& decoded, const EncoderDecoder<double>& model, const ModelCard& card,
                         const DecodeLimits& limits) {
  const TokenIds& tokens = decoded.tokens;
  for (std::size_t at = 0; at + 1 < tokens.size(); ++at) {
    const std::uint32_t other = decoded.written[at].runner_up;
    if (other == limits.end) continue;
    const TokenIds after = with_another(model, ragged_batch({decoded.src}), limits, at, other);
    std::size_t changed = 0;
    for (std::size_t t = at + 1; t < tokens.size(); ++t)
      changed += t >= after.size() || after[t] != tokens[t];
    if (changed == 0) continue;
    Trace& trace = decoded.trace;
    trace.facts["at"] = static_cast<double>(at + 1);
    trace.facts["own"] = name_of(card.tgt, tokens[at]);
    trace.facts["other"] = name_of(card.tgt, other);
    trace.facts["changed"] = static_cast<double>(changed);
    trace.facts["later"] = static_cast<double>(tokens.size() - 1 - at);
    trace.facts["instead"] = card.tgt.decode(after);
    return;
  }
}

} // namespace

void prove(Decoded& decoded, const EncoderDecoder<double>& model, const ModelCard& card,
           const Request& request) {
  Trace& trace = decoded.trace;
  Request other = request;
  other.prefix = request.prefix == Prefix::cached ? Prefix::recomputed : Prefix::cached;
  const TokenIds again = search(model, {decoded.src}, other)[0];
  trace.check("same_tokens", again == decoded.tokens, static_cast<double>(again.size()));
  const Batch src = ragged_batch({decoded.src});
  const BeamTree one = beam_search(model, src, request.limits, {1, request.beam.length_penalty});
  trace.check("beam_one", one.tokens(one.ranked.at(0)) == greedy(model, src, request.limits)[0], 1);
  prove_exhaustive(trace);
  if (request.method == Method::greedy) speak_of_own_errors(decoded, model, card, request.limits);
}

} // namespace tfx::decoding
