#include "lessons/rope/experiments.hpp"

#include "architecture/presets.hpp"
#include "core/number.hpp"
#include "core/tensor.hpp"
#include "trace/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tfx {

namespace {

using arma::mat;
using arma::uword;
using arma::vec;

constexpr double further_on = 100; ///< places; an angle of that many carries that many roundings

/// Columns in the order in which the other pairs stand where these do.
arma::uvec order_of_other(const Turning& turning) {
  const uword w = turning.Q.n_cols, behind = apart(turning.other_kind(), w);
  arma::uvec order(w);
  for (uword i = 0; i < w / 2; ++i) {
    const auto [a, b] = turning.columns(i);
    const uword first = page::first_of_pair(i, behind);
    order(first) = a, order(first + behind) = b;
  }
  return order;
}

/// The same queries and keys, columns in the order of the other pairs.
Turning reordered(Turning turning) {
  const arma::uvec order = order_of_other(turning);
  turning.Q = turning.Q.cols(order), turning.K = turning.K.cols(order);
  turning.pairs = turning.other_kind();
  return turning;
}

/// Q or K of `X` to which the sinusoidal positions of these places are added.
mat projected_at(const Trace& t, const std::string& X, const std::string& letter, const vec& places) {
  const mat A = matrix(t[X]), W = matrix(t["W_" + letter]),
            placed = A + page::sinusoids(page::angles(places, A.n_cols));
  const std::string b = "b_" + letter;
  return t.has(b) ? page::project(placed, W, arma::rowvec(t[b].data)) : page::project(placed, W);
}

/// Places after which a pair of `count` is round.
double wavelength(double base, double pair, double count) {
  return 2 * arma::datum::pi * std::pow(base, pair / count);
}

/// The mean over all pairs of the cosine by which a score with itself, `distance` places on, is smaller.
double mean_cosine(double base, std::size_t pairs, double distance) {
  const mat angles = page::rotary_angles(vec{distance}, pairs, base);
  return arma::mean(arma::mean(arma::cos(angles)));
}

} // namespace

Turning::Turning(const Trace& trace, const LessonInput& input)
    : Q(matrix(trace["Q"])),
      K(matrix(trace["K"])),
      positions(trace["positions"].data),
      base(input.rotary_base),
      pairs(input.pairs) {}

mat Turning::turned(const mat& A, double shift, RotaryPairs kind) const {
  return page::rotated(A, page::rotary_angles(positions + shift, A.n_cols / 2, base),
                       tfx::apart(kind, A.n_cols));
}

mat Turning::scores(double shift, RotaryPairs kind) const {
  return page::scores(turned(Q, shift, kind), turned(K, shift, kind));
}

std::pair<uword, uword> Turning::columns(uword pair) const {
  const uword first = page::first_of_pair(pair, apart());
  return {first, first + apart()};
}

double Turning::scale() const {
  const auto longest = [](const mat& A) { return std::sqrt(arma::sum(arma::square(A), 1).max()); };
  return std::max(1.0, longest(Q) * longest(K));
}

RotaryPairs Turning::other_kind() const {
  return pairs == RotaryPairs::neighbours ? RotaryPairs::halves : RotaryPairs::neighbours;
}

double Turning::other_base() const {
  constexpr double of_llama_3 = 500'000;
  return base == of_llama_3 ? usual_rotary_base : of_llama_3;
}

void check_distance(Trace& t, const Turning& turning) {
  t.check_at_most("distance_only", absolute_difference(turning.scores(further_on), turning.scores()),
                  rounding * turning.scale());
  t.facts["further_on"] = further_on;
}

void check_as_sinusoidal(Trace& t, const Turning& turning) {
  if (turning.base != usual_rotary_base) return;
  const mat angles = page::angles(turning.positions, turning.Q.n_cols);
  mat of_pairs(angles.n_rows, angles.n_cols / 2);
  for (uword i = 0; i < of_pairs.n_cols; ++i) of_pairs.col(i) = angles.col(2 * i);
  t.check_at_most("as_sinusoidal", relative_difference(matrix(t["angles"]), of_pairs), rounding);
}

void check_kinds(Trace& t, const Turning& turning) {
  const Turning other = reordered(turning);
  const arma::uvec order = order_of_other(turning);
  double off = 0;
  for (const mat Turning::*letter : {&Turning::Q, &Turning::K}) {
    const mat turned = turning.turned(turning.*letter, 0, turning.pairs);
    off = std::max(off, absolute_difference(other.turned(other.*letter, 0, other.pairs), turned.cols(order)));
  }
  t.check_at_most("kinds_permute", off, 0);
}

void move_places(Trace& t, const Turning& turning) {
  const uword q = turning.Q.n_rows - 1, k = 0;
  const std::string X_Q = t.has("X_Q") ? "X_Q" : "X", X_K = t.has("X_K") ? "X_K" : "X";
  Experiment moved{"moved", {"query_cell", "key_cell", "score_turned", "score_added"}, {}, {}};
  mat rows(0, 4);
  for (const double shift : {0.0, 1.0, 10.0, 1000.0}) {
    const mat Q = turning.turned(turning.Q, shift, turning.pairs),
              K = turning.turned(turning.K, shift, turning.pairs),
              added_Q = projected_at(t, X_Q, "Q", turning.positions + shift),
              added_K = projected_at(t, X_K, "K", turning.positions + shift);
    rows = arma::join_cols(rows, arma::rowvec{Q(q, 0), K(k, 0), arma::dot(Q.row(q), K.row(k)),
                                              arma::dot(added_Q.row(q), added_K.row(k))});
    moved.rows.push_back(fmt::format("+{}", shift));
  }
  moved.values = to_tensor(rows);
  t.facts["moved_query"] = row_label(t, "Q", q), t.facts["moved_key"] = row_label(t, "K", k);
  t.facts["moved_score"] = rows(0, 2);
  t.facts["moved_apart"] = std::abs(turning.positions(q) - turning.positions(k));
  t.experiments.push_back(std::move(moved));
}

void compare_wavelengths(Trace& t, const Turning& turning) {
  constexpr std::size_t most = 5;
  const std::size_t pairs = turning.Q.n_cols / 2;
  const double count = static_cast<double>(pairs);
  Experiment table{"wavelengths", {"per_place", "round_own", "round_other"}, {}, {}};
  mat rows(0, 3);
  for (std::size_t i = 0; i < pairs; ++i) {
    if (i + 1 < pairs && i + 1 >= most) continue; // of a wide head the fastest and the slowest
    const double pair = static_cast<double>(i);
    const auto [a, b] = turning.columns(i);
    table.rows.push_back(fmt::format("({}, {})", a, b));
    rows = arma::join_cols(rows, arma::rowvec{std::pow(turning.base, -pair / count),
                                              wavelength(turning.base, pair, count),
                                              wavelength(turning.other_base(), pair, count)});
  }
  table.values = to_tensor(rows);
  t.facts["other_base"] = turning.other_base();
  t.facts["slowest_round"] = std::round(wavelength(turning.base, count - 1, count));
  t.facts["other_round"] = std::round(wavelength(turning.other_base(), count - 1, count));
  t.experiments.push_back(std::move(table));
}

void compare_distances(Trace& t, const Turning& turning) {
  const params::ModelShape& llama = params::find_preset("llama-7b")->shape;
  const std::size_t width = llama.d_model / llama.heads, pairs = width / 2;
  const double bases[] = {turning.base, turning.other_base()}, count = static_cast<double>(pairs);
  Experiment distances{"distances", {"mean_own", "mean_other"}, {}, {}};
  mat rows(0, 2);
  for (const double distance : {0.0, 1.0, 16.0, 64.0, 256.0, 1024.0, 4096.0}) {
    rows = arma::join_cols(
        rows, arma::rowvec{mean_cosine(bases[0], pairs, distance), mean_cosine(bases[1], pairs, distance)});
    distances.rows.push_back(fmt::format("{}", distance));
  }
  distances.values = to_tensor(rows);

  Experiment beyond{"beyond", {"round_within_own", "round_within_other"}, {}, {}};
  mat numbers(0, 2);
  for (const double length : {512.0, 4096.0, 32768.0, 131072.0}) {
    arma::rowvec row(2);
    for (uword which = 0; which < 2; ++which)
      for (std::size_t i = 0; i < pairs; ++i)
        row(which) += wavelength(bases[which], static_cast<double>(i), count) <= length;
    numbers = arma::join_cols(numbers, row);
    beyond.rows.push_back(with_separators(static_cast<std::size_t>(length)));
  }
  beyond.values = to_tensor(numbers);
  t.facts["llama_width"] = static_cast<double>(width), t.facts["llama_pairs"] = count;
  t.experiments.push_back(std::move(distances)), t.experiments.push_back(std::move(beyond));
}

void compare_kinds(Trace& t, const Turning& turning) {
  if (turning.Q.n_cols < 4) { // of one pair both ways are the same
    t.facts["one_pair"] = 1.0;
    return;
  }
  const mat own = turning.scores();
  const Turning other = reordered(turning);
  Experiment kinds{"kinds", {"scores_off", "moved_off"}, {"own_kind", "other_kind", "other_reordered"}, {}};
  kinds.worded = true;
  mat rows(0, 2);
  const auto add = [&](const Turning& one, RotaryPairs kind) {
    const mat scores = one.scores(0, kind);
    rows = arma::join_cols(rows, arma::rowvec{absolute_difference(scores, own),
                                              absolute_difference(one.scores(further_on, kind), scores)});
  };
  add(turning, turning.pairs), add(turning, turning.other_kind()), add(other, other.pairs);
  kinds.values = to_tensor(rows);
  t.facts["kinds_apart"] = rows(1, 0);
  t.experiments.push_back(std::move(kinds));
}

} // namespace tfx
