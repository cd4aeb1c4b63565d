#include "measure/translation.hpp"

#include "text/utf8.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>

namespace tfx {

namespace {

using NGram = std::span<const std::string_view>;

bool comes_before(NGram a, NGram b) {
  return std::ranges::lexicographical_compare(a, b);
}

std::vector<NGram> sorted_n_grams(const Units& units, std::size_t n) {
  std::vector<NGram> n_grams;
  for (std::size_t i = 0; i + n <= units.size(); ++i) n_grams.push_back(NGram(units).subspan(i, n));
  std::ranges::sort(n_grams, comes_before);
  return n_grams;
}

} // namespace

Units tokens_to_count(std::string_view text) {
  Units tokens;
  bool in_run = false;
  for (std::size_t position = 0; position < text.size();) {
    const CodePoint next = decode(text, position);
    const bool alone = is_cjk(next.value) || is_punctuation(next.value);
    if (is_white_space(next.value)) {
      in_run = false;
    } else if (alone || !in_run) {
      tokens.push_back(text.substr(position, next.length));
      in_run = !alone;
    } else {
      const std::string_view run = tokens.back();
      tokens.back() = {run.data(), run.size() + next.length};
    }
    position += next.length;
  }
  return tokens;
}

Units characters_to_count(std::string_view text) {
  Units characters;
  for (std::size_t position = 0; position < text.size();) {
    const CodePoint next = decode(text, position);
    if (!is_white_space(next.value)) characters.push_back(text.substr(position, next.length));
    position += next.length;
  }
  return characters;
}

NGramMatches& NGramMatches::operator+=(const NGramMatches& other) {
  matched += other.matched, answer += other.answer, reference += other.reference;
  return *this;
}

NGramMatches n_gram_matches(const Units& answer, const Units& reference, std::size_t n) {
  const std::vector<NGram> ours = sorted_n_grams(answer, n), theirs = sorted_n_grams(reference, n);
  std::vector<NGram> shared; // of equal ones as many as the side has that has fewer
  std::ranges::set_intersection(ours, theirs, std::back_inserter(shared), comes_before);
  return {shared.size(), ours.size(), theirs.size()};
}

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
