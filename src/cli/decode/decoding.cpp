#include "cli/decode/decoding.hpp"

#include "core/memory.hpp"
#include "core/number.hpp"
#include "model/counts.hpp"
#include "model/model_spec.hpp"
#include "model/weights.hpp"
#include "parity/decode_run.hpp"
#include "parity/model_run.hpp"
#include "parity/rounding.hpp"
#include "text/names.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace tfx {

namespace {

std::vector<std::string> names_of(const Vocabulary& vocabulary, const TokenIds& ids) {
  std::vector<std::string> names;
  for (const std::uint32_t id : ids) names.push_back(token_name(vocabulary, id));
  return names;
}

WrittenToken written_token(const std::vector<double>& log_probs, std::uint32_t token,
                           const DecodeRequest& request) {
  WrittenToken written;
  written.token = token, written.log_prob = log_probs[token];
  std::size_t other = token == 0 && log_probs.size() > 1 ? 1 : 0;
  for (std::size_t i = 0; i < log_probs.size(); ++i)
    if (i != token && log_probs[i] > log_probs[other]) other = i;
  written.runner_up = static_cast<std::uint32_t>(other), written.runner_up_log_prob = log_probs[other];
  if (request.method != DecodeMethod::sample) return written;
  const std::vector<Choice> kept = choices(log_probs, request.sampling);
  written.kept = kept.size();
  for (const Choice& choice : kept)
    if (choice.token == token) written.drawn = choice;
  return written;
}

/// (h, n, m) → (n, m): the mean over the heads.
Tensor mean_of_heads(const Tensor& weights) {
  Tensor mean({weights.shape[1], weights.shape[2]});
  for (std::size_t i = 0; i < weights.size(); ++i)
    mean.data[i % mean.size()] += weights.data[i] / static_cast<double>(weights.shape[0]);
  return mean;
}

template <class Real>
Tensor rows_of(const arma::Mat<Real>& columns) {
  return Tensor({columns.n_cols, columns.n_rows}, std::vector<double>(columns.begin(), columns.end()));
}

struct Labelled {
  std::vector<std::string> written, read;
};

template <class Real>
void add_alignment(Trace& trace, const PassRun<Real>& pass, const Labelled& labels) {
  const std::size_t last = pass.source_weights.size() - 1;
  trace.add_input("alignment", "mean of the heads of decoder.layers." + std::to_string(last) + ".src_attn",
                  mean_of_heads(pass.source_weights[last]), {labels.written, labels.read}, Role::result);
}

template <class Real>
void add_tensors(Trace& trace, const PassRun<Real>& pass, const Labelled& labels, const Vocabulary& tgt) {
  add_alignment(trace, pass, labels);
  for (std::size_t i = 0; i < pass.source_weights.size(); ++i)
    trace.add_input("decoder.layers." + std::to_string(i) + ".src_attn.weights", "softmax(Q·Kᵀ/√d_k)",
                    pass.source_weights[i], {{}, labels.written, labels.read}, Role::result);
  for (const auto& [name, value] : pass.hidden)
    trace.add_input(name, "", value,
                    {name == "memory" || name.starts_with("encoder.") ? labels.read : labels.written, {}},
                    Role::result);
  trace.add_input("log_probs", "log_softmax(logits)", rows_of(pass.log_probs), {labels.written, tgt.tokens},
                  Role::result);
}

} // namespace

std::string token_name(const Vocabulary& vocabulary, std::uint32_t id) {
  return id < vocabulary.size() ? vocabulary.tokens[id] : std::to_string(id);
}

Step alignment_of(const Transformer<double>& model, const ModelCard& card, const TokenIds& src,
                  const TokenIds& tgt) {
  const TokenIds read(tgt.begin(), tgt.end() - 1), written(tgt.begin() + 1, tgt.end());
  Trace trace;
  add_alignment(trace, run_pass(model, ragged_batch({src}), read),
                {names_of(card.tgt, written), names_of(card.src, src)});
  return std::move(trace.steps.back());
}

template <class Real>
std::vector<TokenIds> decode_batch(const Transformer<Real>& model, const std::vector<TokenIds>& src,
                                   const DecodeRequest& request) {
  const DecodeLimits& limits = request.limits;
  if (request.method == DecodeMethod::greedy) return greedy(model, ragged_batch(src), limits, request.prefix);
  if (request.method == DecodeMethod::sample)
    return sample(model, ragged_batch(src), limits, request.sampling, request.prefix);
  std::vector<TokenIds> targets;
  for (const TokenIds& row : src) {
    const BeamTree tree = beam_search(model, ragged_batch({row}), limits, request.beam, request.prefix);
    targets.push_back(tree.tokens(tree.ranked.at(0)));
  }
  return targets;
}

template <class Real>
Decoded decode_text(const Transformer<Real>& model, const ModelCard& card, const TokenIds& src,
                    const DecodeRequest& request) {
  require_memory(watched_bytes(model.spec.heads, 1, static_cast<double>(src.size())),
                 said("a run of this size"));
  Decoded result;
  result.src = src;
  const Batch batch = ragged_batch({src});
  if (request.method == DecodeMethod::beam) {
    result.tree = beam_search(model, batch, request.limits, request.beam, request.prefix);
    result.tokens = result.tree->tokens(result.tree->ranked.at(0));
  } else {
    result.tokens = decode_batch(model, {src}, request)[0];
  }
  TokenIds written = result.tokens, inputs{request.limits.start};
  inputs.insert(inputs.end(), written.begin(), written.end());
  if (written.size() < request.limits.max_tokens && request.limits.end)
    written.push_back(*request.limits.end);
  else
    inputs.pop_back(); // the last token is not read any more
  const PassRun<Real> pass = run_pass(model, batch, inputs);
  const StepsRun<Real> steps = run_steps(model, batch, inputs, request.prefix);
  for (std::size_t t = 0; t < written.size(); ++t) {
    const Real* const column = steps.log_probs.colptr(t);
    result.written.push_back(written_token({column, column + steps.log_probs.n_rows}, written[t], request));
    result.sum += result.written.back().log_prob;
  }
  result.score = result.sum / length_penalty(written.size(), request.beam.length_penalty);

  Trace& trace = result.trace;
  trace.lesson = "decode", trace.main = "alignment";
  std::vector<std::string> writes = names_of(card.tgt, inputs);
  std::ranges::transform(writes, names_of(card.tgt, written), writes.begin(), read_and_written);
  add_tensors(trace, pass, {writes, names_of(card.src, src)}, card.tgt);
  if constexpr (std::is_same_v<Real, double>)
    trace.check_at_most("one_pass", largest_difference(steps.log_probs, pass.log_probs), 1e-11);
  else
    trace.check_at_most("one_pass", difference_to_largest(rows_of(steps.log_probs), rows_of(pass.log_probs)),
                        rounding_bound(model.spec, std::max(src.size(), written.size())));
  Cost cost;
  cost.parameters = count_parameters(model);
  cost.macs = std::accumulate(steps.macs.begin(), steps.macs.end(), steps.first_macs);
  cost.flops = 2 * cost.macs;
  cost.timing = timing_of({std::accumulate(steps.seconds.begin(), steps.seconds.end(), 0.0)});
  trace.measured = cost;
  trace.facts["parameters"] = with_separators(cost.parameters);
  trace.facts["first_macs"] = with_separators(steps.first_macs);
  trace.facts["step_macs"] = with_separators(cost.macs - steps.first_macs);
  trace.facts["pass_macs"] = with_separators(pass.macs);
  trace.facts["steps"] = static_cast<double>(written.size());
  trace.facts["heads"] = static_cast<double>(model.spec.heads);
  trace.facts["layer"] = static_cast<double>(model.spec.layers - 1);
  return result;
}

Narrowing narrowing_of(const Transformer<double>& model, const Transformer<float>& floats, WeightType type,
                       double difference) {
  return {type, weight_bytes_of_a_token(floats), weight_bytes_of_a_token(in_float(model)), difference};
}

double largest_move(const arma::mat& exact, const arma::fmat& rounded) {
  return arma::abs(exact - arma::conv_to<arma::mat>::from(rounded)).max();
}

void state_narrowing(Decoded& decoded, const Transformer<double>& model, const Transformer<float>& floats,
                     WeightType type, const ModelCard& card, const DecodeRequest& request) {
  TokenIds inputs = decoded.tokens;
  inputs.insert(inputs.begin(), request.limits.start);
  if (inputs.size() > request.limits.max_tokens) inputs.pop_back(); // the last token was not read
  const Batch src = ragged_batch({decoded.src});
  const double difference =
      largest_move(run_pass(model, src, inputs).log_probs, run_pass(floats, src, inputs).log_probs);
  decoded.narrowing = narrowing_of(model, floats, type, difference);
  decoded.exact_tokens = decode_batch(model, {decoded.src}, request)[0];
  auto& facts = decoded.trace.facts;
  if (decoded.exact_tokens == decoded.tokens)
    facts["as_exact"] = word_of(weight_types(), type);
  else
    facts["exact"] = card.tgt.decode(decoded.exact_tokens);
}

std::optional<Repeated> repeated_tokens(const TokenIds& text) {
  constexpr std::size_t in_a_row = 3, often = 4;
  std::map<TokenIds, std::size_t> times;
  Repeated most;
  for (std::size_t i = 0; i + in_a_row <= text.size(); ++i) {
    const auto begin = text.begin() + static_cast<std::ptrdiff_t>(i);
    const TokenIds tokens(begin, begin + in_a_row);
    if (++times[tokens] > most.times) most = {tokens, times[tokens]};
  }
  return most.times < often ? std::nullopt : std::optional(most);
}

template std::vector<TokenIds> decode_batch(const Transformer<float>&, const std::vector<TokenIds>&,
                                            const DecodeRequest&);
template std::vector<TokenIds> decode_batch(const Transformer<double>&, const std::vector<TokenIds>&,
                                            const DecodeRequest&);
template Decoded decode_text(const Transformer<float>&, const ModelCard&, const TokenIds&,
                             const DecodeRequest&);
template Decoded decode_text(const Transformer<double>&, const ModelCard&, const TokenIds&,
                             const DecodeRequest&);

namespace {

/// All targets of a model with a vocabulary so small that each can be computed.
class Exhaustive {
public:
  Exhaustive(const Transformer<double>& model, const Batch& src, const DecodeLimits& limits)
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
    const arma::Mat<double> log_probs = forward(model_, {src_, ragged_batch({inputs})});
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

  const Transformer<double>& model_;
  const Batch& src_;
  const DecodeLimits& limits_;
};

void prove_exhaustive(Trace& trace) {
  ModelSpec spec = preset("toy");
  spec.tgt_vocab = 4;
  Transformer<double> model(spec);
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
TokenIds with_another(const Transformer<double>& model, const Batch& src, const DecodeLimits& limits,
                      std::size_t at, std::uint32_t other) {
  const ChooseToken choose = [&](const std::vector<double>& log_probs, std::size_t step, std::size_t) {
    const auto best = std::max_element(log_probs.begin(), log_probs.end()) - log_probs.begin();
    return step == at ? other : static_cast<std::uint32_t>(best);
  };
  return write_tokens(model, src, limits, Prefix::cached, choose)[0];
}

/// The first token whose runner-up in its place changes what follows. Of a greedy text alone: what a draw or
/// a beam would write after another token is not said.
void speak_of_own_errors(Decoded& decoded, const Transformer<double>& model, const ModelCard& card,
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
    trace.facts["own"] = token_name(card.tgt, tokens[at]);
    trace.facts["other"] = token_name(card.tgt, other);
    trace.facts["changed"] = static_cast<double>(changed);
    trace.facts["later"] = static_cast<double>(tokens.size() - 1 - at);
    trace.facts["instead"] = card.tgt.decode(after);
    return;
  }
}

} // namespace

void prove_decoding(Decoded& decoded, const Transformer<double>& model, const ModelCard& card,
                    const DecodeRequest& request) {
  Trace& trace = decoded.trace;
  DecodeRequest other = request;
  other.prefix = request.prefix == Prefix::cached ? Prefix::recomputed : Prefix::cached;
  const TokenIds again = decode_batch(model, {decoded.src}, other)[0];
  trace.check("same_tokens", again == decoded.tokens, static_cast<double>(again.size()));
  const Batch src = ragged_batch({decoded.src});
  const BeamTree one = beam_search(model, src, request.limits, {1, request.beam.length_penalty});
  trace.check("beam_one", one.tokens(one.ranked.at(0)) == greedy(model, src, request.limits)[0], 1);
  prove_exhaustive(trace);
  if (request.method == DecodeMethod::greedy) speak_of_own_errors(decoded, model, card, request.limits);
}

} // namespace tfx
