#pragma once
// Sequences that repeat, and what a decoder alone makes of them: each has a period of tokens that differ,
// drawn at random, and repeats it to its end. Nothing but its own beginning says what comes. A head that
// looks behind the last place where the query's token stood is an induction head. Source: Elhage et al. 2021,
// "A Mathematical Framework for Transformer Circuits"; Olsson et al. 2022, "In-context Learning and Induction
// Heads".

#include "model/transformer.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tfx {

struct RepeatedRule {
  std::size_t vocab = 26;
  std::size_t longest_period = 12; ///< a sequence has twice as many tokens
  std::optional<std::size_t> period =
      {}; ///< of every sequence; else each draws one, from half of the longest on

  std::size_t length() const { return 2 * longest_period; }
  std::size_t shortest_period() const { return longest_period / 2; }
};

/// `count` sequences, the same for a seed and a step.
std::vector<TokenIds> repeated_rows(const RepeatedRule& rule, std::size_t count, std::uint64_t seed,
                                    std::uint64_t step);

/// Each token but the last is to say the next.
struct NextTokens {
  Batch read;
  TokenIds said; ///< of all sequences, one behind the other
};
NextTokens next_tokens_of(std::vector<TokenIds> rows);

/// The sequences of one period that a model is tested on, as many as its context allows.
std::vector<TokenIds> test_rows(const ModelSpec& spec, std::size_t period);

/// How a decoder goes on with them. The loss is the mean −ln p of a token.
struct OnRepeated {
  double first_loss = 0; ///< up to the first token of the repetition: nothing announces them
  double again_loss = 0; ///< of what is repeated behind that
  double right = 0;      ///< share of what is repeated that is the most probable token

  friend bool operator==(const OnRepeated&, const OnRepeated&) = default;
};
/// Throws Error(no_memory).
template <class Real>
OnRepeated measure_repeated(const Transformer<Real>& model, std::size_t period);

/// A head on the same sequences.
struct HeadOnRepeated {
  std::size_t layer = 0, head = 0;
  double previous = 0;  ///< weight on the place just before the query, the mean
  double induction = 0; ///< weight just behind the last place where the query's token stood, the mean
};
/// Throws Error(no_memory).
template <class Real>
std::vector<HeadOnRepeated> heads_on_repeated(const Transformer<Real>& model, std::size_t period);

/// The same of the model whose head adds nothing.
template <class Real>
OnRepeated measure_without(const HeadOnRepeated& left_out, Transformer<Real> model, std::size_t period);

} // namespace tfx
