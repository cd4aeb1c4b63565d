// Properties of what becomes of words before the first layer: how byte-pair encoding counts, merges and cuts,
// and which vectors words and their positions get.

#include "judge/probe.hpp"
#include "judge/property_lists.hpp"
#include "trace/checks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tfx {

// Properties of byte-pair encoding: what is counted, which pair is taken, how it is merged, how a word is
// cut.

namespace {

using Pieces = std::vector<std::vector<double>>;

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
std::optional<Measured> pairs_of_neighbours(const Lesson&, const LessonInput&, const Computation& compute) {
  const Trace t = compute(text_of({{0, 1, 2}, {3, 0}}, {3, 5}, {{0, 1}}, 1));
  double sum = 0;
  for (const double count : t["pairs_1"].data) sum += count;
  return at_most(std::abs(sum - (3 * 2 + 5 * 1)), 0);
}

// The pair is the first one that no other is more frequent than.
std::optional<Measured> first_of_equals(const Lesson&, const LessonInput&, const Computation& compute) {
  const Trace t = compute(text_of({{0, 1}, {2, 3}, {1, 3}}, {4, 4, 1}, {{0, 1}}, 1));
  const Tensor &pairs = t["pairs_1"], &pair = t["pair_1"];
  const auto place =
      static_cast<std::size_t>(pair.data[0]) * pairs.shape[1] + static_cast<std::size_t>(pair.data[1]);
  const auto first = static_cast<std::size_t>(std::ranges::max_element(pairs.data) - pairs.data.begin());
  return Measured{place == first, place == first ? 0.0 : 1.0};
}

// Of three alike the first two become one.
std::optional<Measured> left_first(const Lesson&, const LessonInput&, const Computation& compute) {
  const Tensor tokens = compute(text_of({{1, 1, 1}, {1, 1}}, {2, 2}, {{1, 1, 1}}, 1))["tokens"];
  return Measured{tokens.data[1] == 1, tokens.data[1] == 1 ? 0.0 : 1.0};
}

// The text's own pieces are cut as they were in learning.
std::optional<Measured> cut_as_learned(const Lesson&, const LessonInput&, const Computation& compute) {
  const Pieces pieces = {{1, 2}, {0, 1}, {0, 1, 2}};
  const Trace t = compute(text_of(pieces, {5, 4, 1}, pieces, 2));
  return at_most(relative_difference(t["tokens"], t["pieces_2"]), 0);
}

} // namespace

std::vector<Property> subword_properties() {
  return only(takes<Input::subwords>, {{"pairs_of_neighbours", pairs_of_neighbours},
                                       {"first_of_equals", first_of_equals},
                                       {"left_first", left_first},
                                       {"cut_as_learned", cut_as_learned}});
}

// Properties of words and their positions.

namespace {

using arma::mat;

constexpr std::size_t words = 3, width = 8;

// Words by their numbers, of a table whose rows have length 1.
LessonInput sentence(const Shape& shape, std::vector<double> ids) {
  LessonInput input;
  const std::size_t n = shape.back();
  Tensor table = noise({words, width}), positions({n});
  for (std::size_t row = 0; row < words; ++row) {
    double length = 0;
    for (std::size_t j = 0; j < width; ++j) length = std::hypot(length, table.data[row * width + j]);
    for (std::size_t j = 0; j < width; ++j) table.data[row * width + j] /= length;
  }
  for (std::size_t i = 0; i < n; ++i) positions.data[i] = static_cast<double>(i);
  replace(input, "token_embedding", std::move(table));
  replace(input, "token_ids", Tensor(shape, std::move(ids)));
  replace(input, "positions", std::move(positions));
  return input;
}

// Rows of length 1 become rows of length √d_model.
std::optional<Measured> word_length(const Lesson&, const LessonInput& input, const Computation& compute) {
  if (input.has("position_embedding")) return {};
  const mat rows = matrix(compute(sentence({3}, {0, 1, 2}))["embedded"]);
  return at_most(arma::abs(arma::sqrt(arma::sum(arma::square(rows), 1)) - std::sqrt(width)).max(),
                 rounding * width);
}

// A pair of columns is a point on a circle.
std::optional<Measured> on_circles(const Lesson&, const LessonInput&, const Computation& compute) {
  const mat P = matrix(compute(sentence({5}, {0, 1, 2, 1, 0}))["position_vectors"]);
  double off = 0;
  for (arma::uword j = 0; j + 1 < P.n_cols; j += 2)
    off = std::max(off, arma::abs(arma::square(P.col(j)) + arma::square(P.col(j + 1)) - 1).max());
  return at_most(off, rounding);
}

// The first word has gone no way on any circle: sin 0, cos 0, and again.
std::optional<Measured> first_position(const Lesson&, const LessonInput&, const Computation& compute) {
  const mat P = matrix(compute(sentence({2}, {0, 1}))["position_vectors"]);
  double off = 0;
  for (arma::uword j = 0; j < P.n_cols; ++j) off = std::max(off, std::abs(P(0, j) - (j % 2 ? 1.0 : 0.0)));
  return at_most(off, rounding);
}

// From one circle to the next the way of a step shrinks by the same factor; where one more circle would
// follow the last, it is 1/10000 of the first.
std::optional<Measured> wavelengths(const Lesson&, const LessonInput&, const Computation& compute) {
  const mat P = matrix(compute(sentence({2}, {0, 1}))["position_vectors"]);
  const auto way = [&](arma::uword pair) { return std::atan2(P(1, 2 * pair), P(1, 2 * pair + 1)); };
  const arma::uword pairs = P.n_cols / 2;
  double off = std::abs(way(0) - 1);
  for (arma::uword pair = 1; pair < pairs; ++pair) {
    const double factor = std::pow(1e-4, 1 / static_cast<double>(pairs));
    off = std::max(off, std::abs(way(pair) / way(pair - 1) / factor - 1));
  }
  return at_most(off, 1e-10); // a sine near 0 has 12 digits after its first
}

// One word, four places: four vectors.
std::optional<Measured> places_differ(const Lesson&, const LessonInput&, const Computation& compute) {
  const mat X = matrix(compute(sentence({4}, {1, 1, 1, 1}))["X"]);
  double least = std::numeric_limits<double>::infinity();
  for (arma::uword i = 0; i < X.n_rows; ++i)
    for (arma::uword j = 0; j < i; ++j) least = std::min(least, arma::abs(X.row(i) - X.row(j)).max());
  return at_least(least, 0.01);
}

// The same sentence twice in a batch: the same vectors.
std::optional<Measured> batch_alike(const Lesson&, const LessonInput&, const Computation& compute) {
  const Tensor X = compute(sentence({2, 3}, {0, 1, 2, 0, 1, 2}))["X"];
  return at_most(relative_difference(matrix(X, 0), matrix(X, 1)), 0);
}

} // namespace

std::vector<Property> embedding_properties() {
  return only(takes<Input::token_ids>, {{"word_length", word_length},
                                        {"on_circles", on_circles},
                                        {"first_position", first_position},
                                        {"wavelengths", wavelengths},
                                        {"places_differ", places_differ},
                                        {"batch_alike", batch_alike}});
}

} // namespace tfx
