// Properties of byte-pair encoding: what is counted, which pair is taken, how it is merged, how a word is
// cut.

#include "judge/layer_properties.hpp"
#include "judge/probe.hpp"
#include "trace/checks.hpp"

#include <algorithm>

namespace tfx {

namespace {

using Pieces = std::vector<std::vector<double>>;

bool cuts(const Lesson& lesson) {
  return lesson.stage == Stage::subwords;
}

Tensor rows_of(const Pieces& pieces) {
  std::size_t longest = 0;
  for (const auto& piece : pieces) longest = std::max(longest, piece.size());
  Tensor rows({pieces.size(), longest});
  std::ranges::fill(rows.data, -1);
  for (std::size_t i = 0; i < pieces.size(); ++i)
    std::ranges::copy(pieces[i], rows.data.begin() + static_cast<std::ptrdiff_t>(i * longest));
  return rows;
}

// Four symbols.
LessonInput text_of(const Pieces& pieces, std::vector<double> counts, const Pieces& word,
                    std::size_t merges) {
  LessonInput input;
  input.given.add_input("symbols", "probe", Tensor({1, 4}, {'a', 'b', 'c', 'd'}), {{}, {}});
  input.given.add_input("pieces", "probe", rows_of(pieces), {{}, {}});
  const std::size_t rows = counts.size();
  input.given.add_input("counts", "probe", Tensor({rows, 1}, std::move(counts)), {{}, {}});
  input.given.add_input("word", "probe", rows_of(word), {{}, {}});
  input.merges = merges;
  return input;
}

// A piece of n symbols has n − 1 pairs of neighbours, as often as the text has it.
std::optional<Measured> pairs_of_neighbours(const Lesson& lesson, const LessonInput&,
                                            const Computation& compute) {
  if (!cuts(lesson)) return {};
  const Trace t = compute(text_of({{0, 1, 2}, {3, 0}}, {3, 5}, {{0, 1}}, 1));
  double sum = 0;
  for (const double count : t["pairs_1"].data) sum += count;
  return at_most(std::abs(sum - (3 * 2 + 5 * 1)), 0);
}

// The pair is the first one that no other is more frequent than.
std::optional<Measured> first_of_equals(const Lesson& lesson, const LessonInput&,
                                        const Computation& compute) {
  if (!cuts(lesson)) return {};
  const Trace t = compute(text_of({{0, 1}, {2, 3}, {1, 3}}, {4, 4, 1}, {{0, 1}}, 1));
  const Tensor &pairs = t["pairs_1"], &pair = t["pair_1"];
  const auto place =
      static_cast<std::size_t>(pair.data[0]) * pairs.shape[1] + static_cast<std::size_t>(pair.data[1]);
  const auto first = static_cast<std::size_t>(std::ranges::max_element(pairs.data) - pairs.data.begin());
  return Measured{place == first, place == first ? 0.0 : 1.0};
}

// Of three alike the first two become one.
std::optional<Measured> left_first(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  if (!cuts(lesson)) return {};
  const Tensor tokens = compute(text_of({{1, 1, 1}, {1, 1}}, {2, 2}, {{1, 1, 1}}, 1))["tokens"];
  return Measured{tokens.data[1] == 1, tokens.data[1] == 1 ? 0.0 : 1.0};
}

// The text's own pieces are cut as they were in learning.
std::optional<Measured> cut_as_learned(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  if (!cuts(lesson)) return {};
  const Pieces pieces = {{1, 2}, {0, 1}, {0, 1, 2}};
  const Trace t = compute(text_of(pieces, {5, 4, 1}, pieces, 2));
  return at_most(relative_difference(t["tokens"], t["pieces_2"]), 0);
}

} // namespace

std::vector<Property> subword_properties() {
  return {{"pairs_of_neighbours", pairs_of_neighbours},
          {"first_of_equals", first_of_equals},
          {"left_first", left_first},
          {"cut_as_learned", cut_as_learned}};
}

} // namespace tfx
