#include "measure/n_grams.hpp"

#include "text/utf8.hpp"

#include <algorithm>
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

} // namespace tfx
