#include "ops/shared.hpp"

#include "ops/cell_reader.hpp"
#include "ops/shape_rule.hpp"

#include <algorithm>

namespace tfx {

namespace {

Tensor rows_at(const Arguments& in) {
  const Tensor &table = in[0], &numbers = in[1];
  Shape shape = numbers.shape;
  shape.push_back(table.shape.back());
  Tensor rows(shape);
  const auto width = static_cast<std::ptrdiff_t>(shape.back());
  for (std::size_t i = 0; i < numbers.size(); ++i)
    std::copy_n(table.data.begin() + static_cast<std::ptrdiff_t>(numbers.data[i]) * width, width,
                rows.data.begin() + static_cast<std::ptrdiff_t>(i) * width);
  return rows;
}

Tensor rows_summed(const Arguments& in) {
  const Tensor &A = in[0], &numbers = in[1];
  Tensor table(in.operation().shape);
  const std::size_t width = table.shape.back();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto row = static_cast<std::size_t>(numbers.data[i]);
    for (std::size_t j = 0; j < width; ++j) table.data[row * width + j] += A.data[i * width + j];
  }
  return table;
}

Tensor ones_at(const Arguments& in) {
  const std::size_t words = in[0].shape[0];
  Shape shape = in[1].shape;
  shape.push_back(words);
  Tensor marks(shape);
  for (std::size_t i = 0; i < in[1].size(); ++i)
    marks.data[i * words + static_cast<std::size_t>(in[1].data[i])] = 1;
  return marks;
}

// The number that says what stands in this row.
CellRef number_of(const CellReader& read) {
  return read.cell(1, Index(read.index.begin(), read.index.end() - 1));
}

void explain_gather(Explanation& e, const CellReader& read) {
  const CellRef id = number_of(read);
  // Rows are counted through all leading axes.
  Index row = index_of({read.shape(0).begin(), read.shape(0).end() - 1}, static_cast<std::size_t>(id.value));
  row.push_back(read.column());
  const CellRef source = read.cell(0, row);
  e.set_single(read.plain(source.value), {source, id});
  e.formula = read.name(0, source) + ", " + read.name(1, id) + " = " + read.plain(id.value);
}

void explain_scatter(Explanation& e, const CellReader& read) {
  const Tensor& numbers = read.input(1).value;
  const std::string row = std::to_string(read.index[0]), column = std::to_string(read.index[1]);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    Index at = index_of(numbers.shape, i);
    const CellRef id = read.cell(1, at);
    if (id.value != static_cast<double>(read.index[0])) continue;
    at.push_back(read.index[1]);
    const CellRef source = read.cell(0, at);
    e.terms.push_back({read.factor(source.value), source.value, {source, id}});
  }
  const std::string condition = read.input(1).name + " = " + row;
  e.formula = "Σ " + read.input(0).name + "[" + condition + ", " + column + "]";
  if (e.terms.empty()) e.set_single("0", {}), read.decide(e, "∄ " + condition);
}

void explain_one_hot(Explanation& e, const CellReader& read) {
  const CellRef id = number_of(read);
  e.set_single(read.plain(id.value), {id});
  const std::string name = read.name(1, id), column = std::to_string(read.column());
  e.formula = "[" + name + " = " + column + "]";
  read.decide(e, name + " = " + read.plain(id.value) + (e.cell.value == 1 ? "" : " ≠ " + column));
}

} // namespace

constinit const Op op::gather = {
    .name = "gather",
    .formula = [](const Operation& o) { return o.inputs[0] + "[" + o.inputs[1] + "]"; },
    .shape =
        [](const Arguments& in) {
          const std::size_t width = in[0].shape.back();
          require_rows(in, with_shape(in, 0), in[0].size() / std::max<std::size_t>(width, 1), 1);
          Shape shape = in[1].shape;
          shape.push_back(width);
          return shape;
        },
    .value = rows_at,
    .rows = {1, 0},
    .work = free_of_cost,
    .explain = explain_gather,
    .vjp = [](const Computed& c, std::size_t i) -> std::optional<Vjp> {
      if (i != 0) return std::nullopt;
      const std::string d = gradient_name(c.result.name), &numbers = c.name(1);
      return Vjp{"scatter_add(" + d + ", " + numbers + ")", op::scatter(d, numbers).onto(c.shape(0))};
    },
    .shape_hint = "look_up"};

constinit const Op op::scatter = {
    .name = "scatter",
    .formula = [](const Operation& o) { return "scatter_add(" + o.inputs[0] + ", " + o.inputs[1] + ")"; },
    .shape =
        [](const Arguments& in) {
          const Shape& table = in.operation().shape;
          if (in[0].size() != in[1].size() * table.back())
            refuse_shapes(with_shape(in, 0) + ", " + with_shape(in, 1), in[0].size(),
                          in[1].size() * table.back());
          require_rows(in, to_string(table), table.front(), 1);
          return table;
        },
    .value = rows_summed,
    .rows = {0, 1},
    .columns = {0, 0},
    .work =
        [](const Computed& c) {
          return Work{0, c.input_cells()};
        },
    .explain = explain_scatter};

constinit const Op op::one_hot = {
    .name = "one_hot",
    .formula = [](const Operation& o) { return "[" + o.inputs[1] + " = column]"; },
    .shape =
        [](const Arguments& in) {
          require_axes(in, 0, 1);
          require_rows(in, with_shape(in, 0), in[0].shape[0], 1);
          Shape shape = in[1].shape;
          shape.push_back(in[0].shape[0]);
          return shape;
        },
    .value = ones_at,
    .rows = {1, 0},
    .columns = {0, 1},
    .work = free_of_cost,
    .explain = explain_one_hot,
    .marks = true};

} // namespace tfx
