// Lesson rope: queries and keys turn with their place, so that a score knows how far apart they stand.
// Source: Su et al. 2021, "RoFormer: Enhanced Transformer with Rotary Position Embedding", section 3; the
// halves are GPT-NeoX's; the base of 500,000 is Llama 3's (Grattafiori et al. 2024, section 3.2).

#include "core/tensor.hpp"
#include "lessons/rope/experiments.hpp"
#include "steps/attention_steps.hpp"
#include "trace/checks.hpp"
#include "words/in_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>

namespace tfx {

namespace {

using arma::mat;
using arma::uword;

void refuse_odd(const Trace& t) {
  const std::size_t width = t["Q"].shape.back();
  if (width % 2 != 0) throw usage_error("odd_width", {{"width", std::to_string(width)}});
}

void add_turned(Trace& t, const std::string& name, std::size_t apart) {
  t.add(name + "_turned", op::rotate(name, "angles").with(static_cast<double>(apart)), Role::result);
}

// A pair (a, b) is the complex number a + bi, and a turn multiplies it by e^(i·angle).
void check_complex(Trace& t, const Turning& turning) {
  const mat angles = matrix(t["angles"]);
  double off = 0;
  for (const std::string name : {"Q", "K"}) {
    const mat A = matrix(t[name]), turned = matrix(t[name + "_turned"]);
    for (uword i = 0; i < angles.n_cols; ++i) {
      const auto [a, b] = turning.columns(i);
      for (uword row = 0; row < A.n_rows; ++row) {
        const std::complex<double> before(A(row, a), A(row, b)), after(turned(row, a), turned(row, b));
        off = std::max(off, std::abs(before * std::polar(1.0, angles(row, i)) - after));
      }
    }
  }
  t.check_at_most("complex", off, rounding * turning.scale());
}

// A turn moves a vector and leaves it as long as it was.
void check_lengths(Trace& t, const Turning& turning) {
  const auto lengths = [&](const std::string& name) {
    return mat(arma::sqrt(arma::sum(arma::square(matrix(t[name])), 1)));
  };
  t.check_at_most("lengths_kept",
                  std::max(absolute_difference(lengths("Q_turned"), lengths("Q")),
                           absolute_difference(lengths("K_turned"), lengths("K"))),
                  rounding * turning.scale());
}

// How far each word's pairs have turned, as a share of a whole turn: the fastest pairs, and the slowest.
void draw_hands(Trace& t) {
  constexpr std::size_t most_rows = 7;
  const mat angles = matrix(t["angles"]);
  const uword pairs = angles.n_cols;
  std::vector<std::pair<std::string, uword>> columns{{"pair_first", 0}};
  if (pairs > 2) columns.emplace_back("pair_second", 1);
  if (pairs > 1) columns.emplace_back("pair_last", pairs - 1);
  BarPicture picture;
  for (const auto& [key, pair] : columns) picture.columns.push_back(key);
  for (uword row = 0; row < angles.n_rows; ++row) {
    if (row + 1 < angles.n_rows && row + 1 >= most_rows) continue; // of a long text the first and the last
    PictureRow shown{row_label(t, "angles", row), {}};
    for (const auto& [key, pair] : columns) {
      const double turns = angles(row, pair) / (2 * arma::datum::pi), part = turns - std::floor(turns);
      shown.bars.push_back(
          {{{part, false}}, fmt::format("{:.{}f}°", 360 * part, part > 0 && 360 * part < 10 ? 1 : 0)});
    }
    picture.rows.push_back(std::move(shown));
  }
  t.idea = std::move(picture);
}

// The cell that the page spells out: the second word, which turns, in its first pair.
Spotlight turned_cell(const Trace& t) {
  const Shape& shape = t["Q_turned"].shape;
  Index cell(shape.size(), 0);
  cell[shape.size() - 2] = std::min<std::size_t>(1, shape[shape.size() - 2] - 1);
  return {"Q_turned", cell};
}

} // namespace

Trace run_rope(const LessonInput& input) {
  Trace t = begin_trace("rope", input, "scores");
  for (const char* name : {"Q", "K"}) add_projection(t, input, name, Role::recap);
  refuse_odd(t);
  give(t, input, "positions");
  const std::size_t pairs = t["Q"].shape.back() / 2;
  t.add("angles",
        op::rotary_angle("positions")
            .with(input.rotary_base, fmt::format("{}", input.rotary_base))
            .onto({t["positions"].size(), pairs}),
        Role::result);
  const Turning turning(t, input);
  add_turned(t, "Q", turning.apart()), add_turned(t, "K", turning.apart());
  add_scores(t, "Q_turned", "K_turned", Role::result);

  t.spotlight = turned_cell(t);
  check_complex(t, turning);
  check_lengths(t, turning);
  check_distance(t, turning);
  check_as_sinusoidal(t, turning);
  check_kinds(t, turning);
  draw_hands(t);
  move_places(t, turning);
  compare_wavelengths(t, turning);
  compare_distances(t, turning);
  compare_kinds(t, turning);
  t.facts["base"] = input.rotary_base;
  t.facts[input.pairs == RotaryPairs::halves ? "halves" : "neighbours"] = static_cast<double>(pairs);
  return t;
}

} // namespace tfx
