#pragma once
// A language model that counts: how often did this token follow these? Interpolated modified Kneser-Ney, the
// strongest of the counting models, beside which a learned one has to show what learning brings.
//
//   p_n(w | c) = (count(c w) − D(count(c w)) + left(c) · p_{n−1}(w | shorter c)) / total(c)
//
// for each order n down to p_0 = 1/vocabulary; an unseen context c takes p_{n−1} whole. The highest order
// counts occurrences; a lower one counts how many different tokens stand before its n-gram, since it is asked
// only where a longer one has not been seen. D takes 1, 2, and 3 or more apart: D₁ = 1 − 2Y·n₂/n₁,
// D₂ = 2 − 3Y·n₃/n₂, D₃ = 3 − 4Y·n₄/n₃, Y = n₁/(n₁ + 2n₂), where n_k n-grams have the count k; left(c) is
// what the discounts take from c. A document begins with marks of its end as context, and its end is a token.
//
// Source: Chen & Goodman 1998, "An empirical study of smoothing techniques for language modeling",
// section 4.1.

#include "core/tensor.hpp"
#include "ngram/pair_table.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tfx {

class KneserNey {
public:
  static constexpr std::size_t max_order = 7;

  /// The models of every order from 1 to `order` (at most max_order) at once, from documents of ids below
  /// `vocabulary`. Throws std::bad_alloc where the counts do not fit.
  KneserNey(const std::vector<std::vector<std::uint32_t>>& documents, std::size_t vocabulary,
            std::uint32_t end, std::size_t order = max_order);

  std::size_t order() const { return levels_.size(); }

  /// log₂ p of each token of the document and of its end, by each order: [order, tokens + 1], row n − 1 is
  /// order n.
  Tensor log_probs(const std::vector<std::uint32_t>& document) const;

  /// p of every id as the next token after these, by one order.
  std::vector<double> next(const std::vector<std::uint32_t>& before, std::size_t order) const;

private:
  /// D(1), D(2), D(3 and more).
  using Discounts = std::array<double, 4>;

  /// What a context's counts sum to, and what the discounts take of that.
  struct Context {
    double total = 0, left = 0;
  };

  /// The counts of one kind, with what follows from them.
  struct Counts {
    std::vector<std::uint32_t> of; ///< each n-gram
    Discounts discounts{};
    std::vector<Context> contexts; ///< each n-gram of the order below

    void sum_up(const std::vector<std::uint32_t>& context_of);
    double probability(std::size_t context, std::optional<std::uint32_t> gram, double shorter) const;
  };

  /// The n-grams of one order: a context, which is an n-gram of the order below, and a token.
  struct Level {
    PairTable grams;
    std::vector<std::uint32_t> context_of;
    Counts occurrences, continuations;
  };

  /// n-grams that are the contexts of the orders 1, 2, …, as far as they were seen.
  using Contexts = std::vector<std::uint32_t>;
  /// The n-gram of a token behind each of its contexts, where it was seen.
  using Grams = std::vector<std::optional<std::uint32_t>>;

  Grams grams_of(const Contexts& contexts, std::uint32_t token) const;
  Contexts contexts_behind(const Grams& grams) const;
  Contexts contexts_after(const std::vector<std::uint32_t>& before) const;
  /// p of the token with these n-grams, by each order.
  std::vector<double> probabilities(const Contexts& contexts, const Grams& grams) const;

  std::vector<Level> levels_;
  std::size_t vocabulary_ = 0;
  double uniform_ = 0;
  std::uint32_t end_ = 0;
};

} // namespace tfx
