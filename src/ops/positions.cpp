#include "ops/shared.hpp"

#include "ops/cell_reader.hpp"
#include "ops/shape_rule.hpp"
#include "page/layer_formulas.hpp"

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
    .explain = explain_angle};

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

} // namespace tfx
