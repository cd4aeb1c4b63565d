#include "ops/shared.hpp"

#include "ops/cell_reader.hpp"
#include "ops/shape_rule.hpp"
#include "page/backward.hpp"

#include <algorithm>
#include <cmath>

namespace tfx {

namespace {

// A label that is ignored, as −100, is the number behind the last word.
arma::uword word_of(double label, std::size_t vocabulary) {
  return label < 0 ? vocabulary : static_cast<arma::uword>(label);
}

Tensor targets_of(const Arguments& in) {
  const Tensor& labels = in[0];
  const std::size_t V = in[2].shape.back();
  Tensor result(in[2].shape);
  const std::size_t n = labels.shape.back();
  for (std::size_t i = 0; i < labels.size() / n; ++i) {
    arma::uvec ids(n);
    for (std::size_t j = 0; j < n; ++j) ids(j) = word_of(labels.data[i * n + j], V);
    set_matrix(result, i, page::smoothed_target(ids, V, in.constant(), word_of(in[1].data[0], V)));
  }
  return result;
}

// A label a row: of a batch, in its own sequence.
void require_labels_of_rows(const Arguments& in) {
  const Shape &labels = in[0].shape, &rows = in[2].shape;
  for (std::size_t axis = 0; axis + 1 < rows.size(); ++axis) {
    const std::size_t own = axis < labels.size() ? labels[axis] : 0;
    if (own != rows[axis]) refuse_shapes(with_shape(in, 2) + ", " + with_shape(in, 0), rows[axis], own);
  }
}

void explain_smoothed_target(Explanation& e, const CellReader& read) {
  const CellRef label = read.cell(0, Index(read.index.begin(), read.index.end() - 1)), pad = read.cell(1, {});
  const std::string row = read.name(0, label), column = std::to_string(read.column()),
                    rest = std::to_string(read.result_shape().back()) + (pad.value < 0 ? " − 1" : " − 2"),
                    &smoothing = read.operation().constant_text;
  e.set_single(read.plain(e.cell.value), {label, pad});
  const bool smoothed = read.operation().constant > 0;
  e.formula = "[" + row + " = " + column + "]";
  const std::string is = row + " = " + read.plain(label.value);
  const auto own = static_cast<double>(read.column());
  if (label.value == pad.value)
    read.decide(e, is + " = " + pad.tensor);
  else if (own == pad.value)
    read.decide(e, column + " = " + pad.tensor);
  else if (own == label.value)
    read.decide(e, smoothed ? is + " ⇒ 1 − " + smoothing : is);
  else
    read.decide(e, is + " ≠ " + column + (smoothed ? " ⇒ " + smoothing + "/(" + rest + ")" : ""));
}

// Where every label has all of its row, ln 1 = 0 is left out: a plain cross-entropy.
void explain_kl_divergence(Explanation& e, const CellReader& read) {
  const LabelledTensor &logs = read.input(0), &target = read.input(1);
  const auto& shares = target.value.data;
  const bool plain = std::ranges::all_of(shares, [](double x) { return x == 0 || x == 1; });
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (shares[i] == 0) continue; // not read
    const CellRef log = read.cell(0, index_of(target.value.shape, i)), share = read.cell(1, log.index);
    const std::string x = read.factor(share.value), y = read.factor(log.value);
    if (plain)
      e.terms.push_back({x + "·" + y, share.value * log.value, {share, log}});
    else
      e.terms.push_back({x + "·(ln(" + read.plain(share.value) + ") - " + y + ")",
                         share.value * (std::log(share.value) - log.value),
                         {share, log}});
  }
  const std::string& tokens = read.operation().constant_text;
  e.formula = (plain ? "−Σ " + target.name + "·" + logs.name
                     : "Σ " + target.name + "·(ln " + target.name + " − " + logs.name + ")") +
              " / " + tokens;
  e.before = plain ? "-(" : "(", e.after = ") / " + tokens;
}

} // namespace

constinit const Op op::smoothed_target = {
    .name = "smoothed_target",
    .formula =
        [](const Operation& o) {
          return o.constant > 0 ? std::string("(1 − ε)·onehot + ε/(V − 2)·rest")
                                : "onehot(" + o.inputs[0] + ")⊙[" + o.inputs[0] + " ≠ " + o.inputs[1] + "]";
        },
    .shape =
        [](const Arguments& in) {
          const std::size_t V = in[2].shape.back(), rows = in[2].size() / std::max<std::size_t>(V, 1);
          if (rows != in[0].size())
            refuse_shapes(with_shape(in, 2) + ", " + with_shape(in, 0), rows, in[0].size());
          require_labels_of_rows(in);
          const double pad = in[1].data[0];
          if (!(pad < 0)) require_rows(in, with_shape(in, 2), V, 1); // √−100 is tried too, and is NaN
          require_rows(in, with_shape(in, 2), V, 0, pad);
          return in[2].shape;
        },
    .value = targets_of,
    .rows = {0, 0},
    .columns = {2, 0},
    .work = free_of_cost,
    .explain = explain_smoothed_target};

constinit const Op op::kl_divergence = {
    .name = "divergence",
    .formula =
        [](const Operation& o) {
          return "Σ " + o.inputs[1] + "⊙(ln " + o.inputs[1] + " − " + o.inputs[0] + ") / " + o.constant_text;
        },
    .shape =
        [](const Arguments& in) {
          common_stack(in, 2); // both are matrices
          require_same_shape(in, 0, 1);
          return Shape{};
        },
    .value =
        [](const Arguments& in) {
          double sum = 0;
          for (std::size_t i = 0; i < matrix_count(in[0]); ++i)
            sum += page::divergence(matrix(in[0], i), matrix(in[1], i), in.constant());
          return Tensor({}, {sum});
        },
    .work =
        [](const Computed& c) {
          return Work{0, 2 * c.input_cells() + 1};
        },
    .explain = explain_kl_divergence,
    .vjp = [](const Computed& c, std::size_t i) -> std::optional<Vjp> {
      if (i != 0) return std::nullopt;
      const Operation& o = c.operation;
      return Vjp{"−" + c.name(1) + "/" + o.constant_text,
                 op::divide_by(c.name(1)).with(-o.constant, "(−" + o.constant_text + ")").onto(c.shape(1))};
    }};

} // namespace tfx
