#include "ngram/kneser_ney.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <cmath>

namespace tfx {

namespace {

constexpr std::uint32_t whole = 0; ///< the one context of order 1: nothing before the token

std::size_t kind_of(std::uint32_t count) {
  return std::min<std::uint32_t>(count, 3);
}

std::array<double, 4> discounts_of(const std::vector<std::uint32_t>& counts) {
  std::array<double, 5> having{}; // how many n-grams have this count
  for (const std::uint32_t count : counts)
    if (count < having.size()) ++having[count];
  const double y = having[1] > 0 ? having[1] / (having[1] + 2 * having[2]) : 0.5;
  std::array<double, 4> discounts{};
  for (std::size_t k = 1; k < discounts.size(); ++k) {
    const auto count = static_cast<double>(k);
    constexpr double least = 0.01; // a text of a few words has no n-gram of some count
    const double estimate = having[k] > 0 ? count - (count + 1) * y * having[k + 1] / having[k] : count / 2;
    discounts[k] = std::clamp(estimate, least, count);
  }
  return discounts;
}

} // namespace

void KneserNey::Counts::sum_up(const std::vector<std::uint32_t>& context_of) {
  discounts = discounts_of(of);
  for (std::size_t gram = 0; gram < of.size(); ++gram) {
    Context& context = contexts[context_of[gram]];
    context.total += of[gram];
    context.left += discounts[kind_of(of[gram])];
  }
}

double KneserNey::Counts::probability(std::size_t context, std::optional<std::uint32_t> gram,
                                      double shorter) const {
  const auto& [total, left] = contexts[context];
  if (total == 0) return shorter;
  const std::uint32_t count = gram ? of[*gram] : 0;
  return (count - discounts[kind_of(count)] + left * shorter) / total;
}

KneserNey::KneserNey(const std::vector<std::vector<std::uint32_t>>& documents, std::size_t vocabulary,
                     std::uint32_t end, std::size_t order)
    : levels_(order), vocabulary_(vocabulary), uniform_(1.0 / static_cast<double>(vocabulary)), end_(end) {
  const std::size_t marks = order - 1; // before each document
  std::vector<std::uint32_t> tokens;
  std::vector<std::size_t> begins; // of each document its first mark
  for (const auto& document : documents) {
    begins.push_back(tokens.size());
    tokens.insert(tokens.end(), marks, end);
    tokens.insert(tokens.end(), document.begin(), document.end());
    tokens.push_back(end);
  }
  begins.push_back(tokens.size());

  // The n-gram of the order below that ends at each token; from the last to the first, so that the one before
  // is still that of the order below.
  std::vector<std::uint32_t> ending(tokens.size(), whole);
  for (std::size_t n = 1; n <= order; ++n) {
    Level& level = levels_[n - 1];
    std::vector<std::uint32_t>* below = n > 1 ? &levels_[n - 2].continuations.of : nullptr;
    for (std::size_t d = 0; d + 1 < begins.size(); ++d) {
      for (std::size_t i = begins[d + 1]; i-- > begins[d] + n - 1;) {
        const std::uint32_t context = n > 1 ? ending[i - 1] : whole;
        const std::uint32_t gram = level.grams.insert(context, tokens[i]);
        if (gram == level.context_of.size())
          level.context_of.push_back(context), level.occurrences.of.push_back(0);
        if (i >= begins[d] + marks && level.occurrences.of[gram]++ == 0 && below) ++(*below)[ending[i]];
        ending[i] = gram;
      }
    }
    level.continuations.of.resize(level.grams.size());
  }
  for (std::size_t n = 1; n <= order; ++n) {
    Level& level = levels_[n - 1];
    const std::size_t contexts = n > 1 ? levels_[n - 2].grams.size() : 1;
    for (Counts* counts : {&level.occurrences, &level.continuations}) {
      counts->contexts.resize(contexts);
      counts->sum_up(level.context_of);
    }
  }
}

KneserNey::Grams KneserNey::grams_of(const Contexts& contexts, std::uint32_t token) const {
  Grams grams;
  for (std::size_t n = 0; n < contexts.size(); ++n)
    grams.push_back(levels_[n].grams.find(contexts[n], token));
  return grams;
}

// The n-gram that ends at the last token is the context of order n + 1; where it was not seen, no longer one
// was.
KneserNey::Contexts KneserNey::contexts_behind(const Grams& grams) const {
  Contexts contexts{whole};
  for (std::size_t n = 0; n < grams.size() && grams[n] && n + 1 < order(); ++n) contexts.push_back(*grams[n]);
  return contexts;
}

KneserNey::Contexts KneserNey::contexts_after(const std::vector<std::uint32_t>& before) const {
  Contexts contexts{whole};
  for (std::size_t i = 0; i + 1 < order(); ++i) contexts = contexts_behind(grams_of(contexts, end_));
  for (const std::uint32_t token : before) contexts = contexts_behind(grams_of(contexts, token));
  return contexts;
}

std::vector<double> KneserNey::probabilities(const Contexts& contexts, const Grams& grams) const {
  std::vector<double> by_order;
  double shorter = uniform_;
  for (std::size_t n = 0; n < order(); ++n) {
    if (n >= contexts.size()) { // no such context was seen
      by_order.push_back(shorter);
      continue;
    }
    by_order.push_back(levels_[n].occurrences.probability(contexts[n], grams[n], shorter));
    shorter = levels_[n].continuations.probability(contexts[n], grams[n], shorter);
  }
  return by_order;
}

Tensor KneserNey::log_probs(const std::vector<std::uint32_t>& document) const {
  Tensor result(Shape{order(), document.size() + 1});
  Contexts contexts = contexts_after({});
  for (std::size_t i = 0; i <= document.size(); ++i) {
    const Grams grams = grams_of(contexts, i < document.size() ? document[i] : end_);
    const std::vector<double> by_order = probabilities(contexts, grams);
    for (std::size_t n = 0; n < order(); ++n) result.at({n, i}) = std::log2(by_order[n]);
    contexts = contexts_behind(grams);
  }
  return result;
}

std::vector<double> KneserNey::next(const std::vector<std::uint32_t>& before, std::size_t wanted) const {
  const Contexts contexts = contexts_after(before);
  std::vector<double> all(vocabulary_);
  for (std::size_t id = 0; id < all.size(); ++id)
    all[id] = probabilities(contexts, grams_of(contexts, static_cast<std::uint32_t>(id)))[wanted - 1];
  return all;
}

} // namespace tfx
