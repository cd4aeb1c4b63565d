#include "ops/shared.hpp"

#include "ops/cell_reader.hpp"
#include "ops/shape_rule.hpp"
#include "page/subwords.hpp"

namespace tfx {

namespace {

using arma::mat;
using arma::rowvec;

constexpr double ended_piece = -1;

std::string symbols_in_brackets(const std::string& a, const std::string& b) {
  return "(" + a + ", " + b + ")";
}

/// Symbols from −1 on: a mistake may have made others, and what is no count is said as 0.
void require_symbols(const Arguments& in, std::size_t i, double symbols) {
  for (const double symbol : in[i].data)
    if (!(symbol >= ended_piece && symbol < symbols))
      refuse_shapes(with_shape(in, i), symbol >= 0 && symbol < 1e15 ? static_cast<std::size_t>(symbol) : 0,
                    static_cast<std::size_t>(symbols));
}

/// Nothing stands behind the end of a piece.
void require_ended(const Arguments& in, std::size_t i) {
  const std::size_t width = in[i].shape.back();
  for (std::size_t at = 0; at + 1 < in[i].size(); ++at)
    if ((at + 1) % width != 0 && in[i].data[at] == ended_piece && in[i].data[at + 1] != ended_piece)
      refuse_shapes(with_shape(in, i), at % width, at % width + 2);
}

void require_pair(const Arguments& in, std::size_t i) {
  if (in[i].size() != 2) refuse_shapes(with_shape(in, i), in[i].size(), 2);
}

// The pieces in which the pair stands: how often in one, times how often the text has the piece.
void explain_pair_counts(Explanation& e, const CellReader& read) {
  const Shape& shape = read.shape(0);
  for (std::size_t i = 0; i < shape[0]; ++i) {
    std::vector<CellRef> reads{read.cell(1, {i, 0})};
    for (std::size_t j = 0; j + 1 < shape[1]; ++j) {
      const CellRef a = read.cell(0, {i, j}), b = read.cell(0, {i, j + 1});
      if (a.value == static_cast<double>(read.row()) && b.value == static_cast<double>(read.column()))
        reads.insert(reads.end(), {a, b});
    }
    const double times = static_cast<double>(reads.size() / 2), count = reads[0].value;
    if (times > 0) e.terms.push_back({read.product(count, times), count * times, std::move(reads)});
  }
  const std::string pair = symbols_in_brackets(std::to_string(read.row()), std::to_string(read.column()));
  e.formula = "Σ " + read.input(1).name + "·#" + pair;
  if (e.terms.empty()) e.set_single("0", {}), read.decide(e, "∄ " + pair);
}

// Its count, and where it stands.
void explain_most_frequent(Explanation& e, const CellReader& read) {
  const Tensor& counts = read.input(0).value;
  std::size_t first = 0;
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (counts.data[i] > counts.data[first]) first = i;
  const CellRef best = read.cell(0, index_of(counts.shape, first));
  e.formula = "argmax(" + read.input(0).name + ")[" + std::to_string(read.column()) + "]";
  e.set_single(read.plain(best.value), {best});
  read.decide(e, "max = " + read.plain(best.value) + ", " + read.name(0, best));
}

/// Where the symbol of the result comes from: a place of the row, and whether it is the left one of the pair.
struct MergedFrom {
  std::size_t place = 0;
  bool is_pair = false, is_there = false;
};

MergedFrom merged_from(const CellReader& read) {
  const std::size_t width = read.shape(0)[1];
  const double left = read.input(1).value.data[0], right = read.input(1).value.data[1];
  std::size_t to = 0;
  for (std::size_t j = 0; j < width && read.cell(0, {read.row(), j}).value != ended_piece; ++j, ++to) {
    const bool both = read.cell(0, {read.row(), j}).value == left && j + 1 < width &&
                      read.cell(0, {read.row(), j + 1}).value == right;
    if (to == read.column()) return {j, both, true};
    j += both;
  }
  return {};
}

void explain_merge_pair(Explanation& e, const CellReader& read) {
  const MergedFrom from = merged_from(read);
  e.formula = "merge(" + read.row_name(0, read.index) + ", " + read.input(1).name + ")";
  if (!from.is_there) {
    const CellRef last = read.cell(0, {read.row(), read.shape(0)[1] - 1});
    e.set_single(read.plain(last.value), {last});
    return read.decide(e, "∄ " + read.row_name(0, read.index) + "[" + std::to_string(read.column()) + "]");
  }
  const CellRef a = read.cell(0, {read.row(), from.place});
  if (!from.is_pair) return e.set_single(read.plain(a.value), {a});
  const CellRef b = read.cell(0, {read.row(), from.place + 1});
  e.terms = {{read.plain(a.value), a.value, {a, read.cell(1, {0, 0})}},
             {read.plain(b.value), b.value, {b, read.cell(1, {0, 1})}}};
  read.decide(e, read.name(0, a) + ", " + read.name(0, b) + " = " + read.plain(a.value) + ", " +
                     read.plain(b.value) + " = " + read.input(1).name);
}

void explain_stacked(Explanation& e, const CellReader& read) {
  std::size_t row = read.row();
  for (std::size_t i = 0; i < read.inputs(); ++i) {
    if (row < read.shape(i)[0]) {
      const CellRef source = read.cell(i, {row, read.column()});
      e.set_single(read.plain(source.value), {source});
      e.formula = read.name(i, source);
      return;
    }
    row -= read.shape(i)[0];
  }
}

Work rows_looked_through(const Computed& c) {
  return {0, c.input_cells()};
}

} // namespace

constinit const Op op::pair_counts = {
    .name = "pair_counts",
    .formula = [](const Operation& o) { return "#(a, b) ∈ " + o.inputs[0] + "·" + o.inputs[1]; },
    .shape =
        [](const Arguments& in) {
          require_same_rows(in, 0, 1);
          require_symbols(in, 0, in.constant());
          require_ended(in, 0);
          const auto symbols = static_cast<std::size_t>(in.constant());
          return Shape{symbols, symbols};
        },
    .value =
        [](const Arguments& in) {
          return to_tensor(page::pair_counts(matrix(in[0]), arma::vec(in[1].data),
                                             static_cast<arma::uword>(in.constant())));
        },
    .work = rows_looked_through,
    .explain = explain_pair_counts,
    .terms = [](const Computed& c) { return c.shape(0)[0]; },
    .counts_from = 1};

constinit const Op op::most_frequent = {
    .name = "most_frequent",
    .formula = [](const Operation& o) { return "argmax(" + o.inputs[0] + ")"; },
    .shape =
        [](const Arguments&) {
          return Shape{1, 2};
        },
    .value = [](const Arguments& in) { return to_tensor(mat(page::most_frequent(matrix(in[0])))); },
    .work = rows_looked_through,
    .explain = explain_most_frequent,
    .terms = [](const Computed& c) { return c.input_cells(); }};

constinit const Op op::merge_pair = {
    .name = "merge_pair",
    .formula =
        [](const Operation& o) {
          return "merge(" + o.inputs[0] + ", " + o.inputs[1] + " → " + o.constant_text + ")";
        },
    .shape =
        [](const Arguments& in) {
          require_axes(in, 0, 2);
          require_pair(in, 1);
          return in[0].shape;
        },
    .value =
        [](const Arguments& in) {
          return to_tensor(page::merge_pair(matrix(in[0]), rowvec(in[1].data), in.constant()));
        },
    .rows = {0, 1},
    .work = rows_looked_through,
    .explain = explain_merge_pair};

constinit const Op op::stacked = {
    .name = "stacked",
    .formula =
        [](const Operation& o) {
          return o.inputs.size() == 1 ? o.inputs[0]
                                      : "[" + o.inputs.front() + "; …; " + o.inputs.back() + "]";
        },
    .shape =
        [](const Arguments& in) {
          std::size_t rows = 0;
          for (std::size_t i = 0; i < in.size(); ++i) {
            require_axes(in, i, 2);
            if (in[i].shape[1] != in[0].shape[1])
              refuse_shapes(with_shape(in, 0) + ", " + with_shape(in, i), in[0].shape[1], in[i].shape[1]);
            rows += in[i].shape[0];
          }
          return Shape{rows, in[0].shape[1]};
        },
    .value =
        [](const Arguments& in) {
          std::vector<double> cells;
          for (std::size_t i = 0; i < in.size(); ++i)
            cells.insert(cells.end(), in[i].data.begin(), in[i].data.end());
          const Shape shape{cells.size() / in[0].shape[1], in[0].shape[1]};
          return Tensor(shape, std::move(cells));
        },
    .columns = {0, 0},
    .work = free_of_cost,
    .explain = explain_stacked};

} // namespace tfx
