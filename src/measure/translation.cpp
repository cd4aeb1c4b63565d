#include "measure/translation.hpp"

#include <algorithm>
#include <cmath>

namespace tfx {

namespace {

constexpr double hundred = 100;

/// 0/0, where one side alone has nothing, is 0.
double ratio(std::size_t part, std::size_t whole) {
  return whole ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

template <std::size_t N>
void add(std::array<NGramMatches, N>& sum, const std::array<NGramMatches, N>& more) {
  for (std::size_t i = 0; i < N; ++i) sum[i] += more[i];
}

} // namespace

PairCounts& PairCounts::operator+=(const PairCounts& other) {
  pairs += other.pairs, exact += other.exact;
  add(tokens, other.tokens), add(characters, other.characters);
  loss += other.loss, loss_tokens += other.loss_tokens;
  return *this;
}

PairCounts compare_pair(std::string_view answer, std::string_view reference) {
  const Units ours = tokens_to_count(answer), theirs = tokens_to_count(reference);
  PairCounts counts;
  counts.pairs = 1, counts.exact = ours == theirs;
  counts.tokens = n_gram_matches<4>(ours, theirs);
  counts.characters = n_gram_matches<6>(characters_to_count(answer), characters_to_count(reference));
  return counts;
}

double bleu(const std::array<NGramMatches, 4>& tokens) {
  double sum = 0, orders = 0;
  for (const NGramMatches& order : tokens) {
    if (order.is_empty()) continue;
    if (order.matched == 0) return 0;
    sum += std::log(ratio(order.matched, order.answer)), ++orders;
  }
  if (orders == 0) return 0;
  const auto c = static_cast<double>(tokens[0].answer), r = static_cast<double>(tokens[0].reference);
  const double brevity = c > r ? 1 : std::exp(1 - r / c);
  return hundred * brevity * std::exp(sum / orders);
}

double chrf(const std::array<NGramMatches, 6>& characters) {
  constexpr double beta_squared = 2 * 2;
  double precision = 0, recall = 0, orders = 0;
  for (const NGramMatches& order : characters) {
    if (order.is_empty()) continue;
    precision += ratio(order.matched, order.answer), recall += ratio(order.matched, order.reference);
    ++orders;
  }
  if (precision == 0 || recall == 0) return 0;
  precision /= orders, recall /= orders;
  return hundred * (1 + beta_squared) * precision * recall / (beta_squared * precision + recall);
}

Measures measures_of(const PairCounts& sum) {
  Measures measures{hundred * ratio(sum.exact, sum.pairs), bleu(sum.tokens), chrf(sum.characters)};
  if (sum.loss_tokens == 0) return measures;
  measures.loss = sum.loss / static_cast<double>(sum.loss_tokens);
  measures.perplexity = std::exp(measures.loss);
  return measures;
}

} // namespace tfx
