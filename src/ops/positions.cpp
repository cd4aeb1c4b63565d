#include "ops/shared.hpp"

#include "ops/cell_reader.hpp"
#include "ops/shape_rule.hpp"
#include "page/layer_formulas.hpp"

#include <algorithm>
#include <cmath>

namespace tfx {

namespace {

void explain_angle(Explanation& e, const CellReader& read) {
  const CellRef position = read.cell(0, {read.index[0]});
  const std::string pair = std::to_string(read.column() / 2), d = read.plain(read.operation().constant);
  e.set_single(read.plain(position.value) + " / 10000^(2·" + pair + "/" + d + ")", {position});
  e.formula =
      read.name(0, position) + " / 10000^(2⌊j/2⌋/d), j = " + std::to_string(read.column()) + ", d = " + d;
}

void explain_sin_cos(Explanation& e, const CellReader& read) {
  const CellRef a = read.here(0);
  const std::string function = read.column() % 2 == 0 ? "sin(" : "cos(";
  e.set_single(function + read.plain(a.value) + ")", {a});
  e.formula = function + read.name(0, a) + ")";
}

void explain_rotary_angle(Explanation& e, const CellReader& read) {
  const CellRef position = read.cell(0, {read.row()});
  const std::string base = read.operation().constant_text,
                    width = std::to_string(2 * read.result_shape().back());
  e.set_single(read.plain(position.value) + " / " + base + "^(2·" + std::to_string(read.column()) + "/" +
                   width + ")",
               {position});
  e.formula = read.name(0, position) + " / " + base + "^(2j/w), j = " + std::to_string(read.column()) +
              ", w = " + width;
}

/// The pair that a cell of a row belongs to, as rotate's constant says it.
struct Pair {
  std::size_t angle; ///< column of the angles
  std::size_t other; ///< column of the other cell
  bool is_first;     ///< whether the cell is the a of (a, b)

  Pair(std::size_t column, double constant) {
    const auto apart = static_cast<std::size_t>(std::abs(constant));
    const bool lies_before = column / apart % 2 == 0;
    other = lies_before ? column + apart : column - apart;
    const std::size_t left = std::min(column, other);
    angle = left / (2 * apart) * apart + left % apart;
    is_first = lies_before == (constant > 0);
  }
};

// "1·cos(0.5) - 2·sin(0.5)"
void explain_rotate(Explanation& e, const CellReader& read) {
  const Pair pair(read.column(), read.operation().constant);
  const CellRef own = read.here(0), other = read.in_matrix(0, read.row(), pair.other),
                angle = read.in_matrix(1, read.row(), pair.angle);
  const std::string by = read.plain(angle.value), name = read.name(1, angle);
  const auto cosine = [&](const std::string& x, const std::string& of) { return x + "·cos(" + of + ")"; };
  const auto sine = [&](const std::string& x, const std::string& of) { return x + "·sin(" + of + ")"; };
  const std::string a = read.factor(own.value), b = read.factor(other.value);
  e.set_single(cosine(a, by) + (pair.is_first ? " - " : " + ") + sine(b, by), {own, other, angle});
  e.formula =
      cosine(read.name(0, own), name) + (pair.is_first ? " − " : " + ") + sine(read.name(0, other), name);
}

Shape rotated_shape(const Arguments& in) {
  require_axes(in, 0, 2), require_axes(in, 1, 2);
  require_same_rows(in, 0, 1);
  const std::size_t width = in[0].shape.back(), pairs = 2 * static_cast<std::size_t>(std::abs(in.constant()));
  if (width != 2 * in[1].shape.back())
    refuse_shapes(with_shape(in, 0) + ", " + with_shape(in, 1), width, 2 * in[1].shape.back());
  if (width % pairs != 0) refuse_shapes(with_shape(in, 0) + " % " + std::to_string(pairs), width % pairs, 0);
  return in[0].shape;
}

} // namespace

constinit const Op op::angle = {
    .name = "angle",
    .formula = [](const Operation& o) { return o.inputs[0] + "/10000^(2⌊j/2⌋/d)"; },
    .shape =
        [](const Arguments& in) {
          require_axes(in, 0, 1);
          return Shape{in[0].shape[0], static_cast<std::size_t>(in.constant())};
        },
    .value =
        [](const Arguments& in) {
          return to_tensor(page::angles(arma::vec(in[0].data), static_cast<arma::uword>(in.constant())));
        },
    .rows = {0, 0},
    .work =
        [](const Computed& c) {
          return Work{0, 2 * c.cells()};
        },
    .explain = explain_angle,
    .counts_from = 1};

constinit const Op op::sin_cos = {
    .name = "sin_cos",
    .formula =
        [](const Operation& o) {
          return "sin(" + o.inputs[0] + "[:, 0::2]), cos(" + o.inputs[0] + "[:, 1::2])";
        },
    .shape = same_shape,
    .value = [](const Arguments& in) { return for_each_matrix(in[0], page::sinusoids); },
    .rows = {0, 1},
    .columns = {0, 0},
    .work = one_a_cell,
    .explain = explain_sin_cos};

constinit const Op op::rotary_angle = {
    .name = "rotary_angle",
    .formula =
        [](const Operation& o) {
          return o.inputs[0] + "/" + o.constant_text + "^(2j/" + std::to_string(2 * o.shape.back()) + ")";
        },
    .shape =
        [](const Arguments& in) {
          require_axes(in, 0, 1);
          return Shape{in[0].shape[0], in.operation().shape.back()};
        },
    .value =
        [](const Arguments& in) {
          return to_tensor(
              page::rotary_angles(arma::vec(in[0].data), in.operation().shape.back(), in.constant()));
        },
    .rows = {0, 0},
    .work =
        [](const Computed& c) {
          return Work{0, 2 * c.cells()};
        },
    .explain = explain_rotary_angle};

constinit const Op op::rotate = {
    .name = "rotate",
    .formula =
        [](const Operation& o) {
          const std::string sign = o.constant < 0 ? "−" : "";
          return "rotate(" + o.inputs[0] + ", " + sign + o.inputs[1] + ")";
        },
    .shape = rotated_shape,
    .value =
        [](const Arguments& in) {
          const double sign = in.constant() < 0 ? -1 : 1;
          return for_each_matrix(in[0], in[1], [&](const arma::mat& A, const arma::mat& angles) {
            return page::rotated(A, sign * angles, static_cast<arma::uword>(std::abs(in.constant())));
          });
        },
    .rows = {0, 1},
    .columns = {0, 0},
    .work =
        [](const Computed& c) {
          return Work{0, 5 * c.cells()};
        },
    .explain = explain_rotate,
    .vjp = [](const Computed& c, std::size_t i) -> std::optional<Vjp> {
      if (i != 0) return std::nullopt;
      Operation back = op::rotate(gradient_name(c.result.name), c.name(1)).with(-c.operation.constant);
      return Vjp{op::rotate.formula(back), std::move(back)};
    }};

} // namespace tfx
