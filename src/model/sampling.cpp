#include "model/sampling.hpp"

#include "core/error.hpp"
#include "random/stream.hpp"

#include <algorithm>
#include <cmath>

namespace tfx {

namespace {

void require_ranges(const Sampling& sampling) {
  const auto refuse = [](const Message& what, const Message& hint) {
    throw Error(ErrorKind::bad_data, what, hint);
  };
  if (!(sampling.temperature > 0 && std::isfinite(sampling.temperature)))
    refuse(said("a temperature must be a number above 0"),
           said("near 0 the most probable token is all that remains"));
  if (sampling.top_k == 0) refuse(said("top-k 0 lets no token through"), said("top-k 1 is greedy"));
  if (!(sampling.top_p > 0 && sampling.top_p <= 1))
    refuse(said("top-p must be above 0 and at most 1"), said("top-p 1 lets every token through"));
}

void renormalise(std::vector<Choice>& kept) {
  double sum = 0;
  for (const Choice& choice : kept) sum += choice.probability;
  for (Choice& choice : kept) choice.probability /= sum;
}

} // namespace

std::vector<Choice> choices(const std::vector<double>& log_probs, const Sampling& sampling) {
  require_ranges(sampling);
  const double max_log_prob = *std::max_element(log_probs.begin(), log_probs.end());
  std::vector<Choice> kept;
  for (std::size_t token = 0; token < log_probs.size(); ++token)
    kept.push_back({static_cast<std::uint32_t>(token),
                    std::exp((log_probs[token] - max_log_prob) / sampling.temperature)}); // the largest is 1
  std::stable_sort(kept.begin(), kept.end(),
                   [](const Choice& a, const Choice& b) { return a.probability > b.probability; });
  if (sampling.top_k) kept.resize(std::min(kept.size(), *sampling.top_k));
  renormalise(kept);
  if (sampling.top_p == 1) return kept;
  double mass = 0;
  std::size_t count = 0;
  while (count < kept.size() && mass < sampling.top_p) mass += kept[count++].probability;
  kept.resize(count);
  renormalise(kept);
  return kept;
}

std::uint32_t draw(const std::vector<Choice>& choices, double uniform) {
  for (const Choice& choice : choices) {
    if (uniform < choice.probability) return choice.token;
    uniform -= choice.probability;
  }
  return choices.back().token; // what rounding has left of 1
}

template <class Real>
std::vector<TokenIds> sample(const EncoderDecoder<Real>& model, const Batch& src, const DecodeLimits& limits,
                             const Sampling& sampling, Prefix prefix) {
  return write_tokens<Real>(model, src, limits, prefix,
                            [&](const std::vector<double>& log_probs, std::size_t step, std::size_t source) {
                              RandomStream numbers(sampling.seed, stream_number("sample"), step);
                              return draw(choices(log_probs, sampling), numbers.uniform(source));
                            });
}

template std::vector<TokenIds> sample(const EncoderDecoder<float>&, const Batch&, const DecodeLimits&,
                                      const Sampling&, Prefix);
template std::vector<TokenIds> sample(const EncoderDecoder<double>&, const Batch&, const DecodeLimits&,
                                      const Sampling&, Prefix);

} // namespace tfx
