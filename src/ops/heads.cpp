#include "ops/heads.hpp"

#include "lessons/formulas.hpp"
#include "ops/cell_reader.hpp"
#include "ops/elementwise.hpp"

namespace tfx {

namespace {

Shape split_shape(const Operation& o, const std::vector<Shape>& in) {
  const auto h = static_cast<std::size_t>(o.constant);
  Shape shape = in[0];
  shape.insert(shape.end() - 2, h);
  shape.back() /= h;
  return shape;
}

Shape merged_shape(const Operation&, const std::vector<Shape>& in) {
  Shape shape = in[0];
  const std::size_t h = shape[shape.size() - 3];
  shape.erase(shape.end() - 3);
  shape.back() *= h;
  return shape;
}

Tensor split(const Arguments& in) {
  const auto h = static_cast<std::size_t>(in.constant());
  Tensor heads(split_shape(in.operation(), {in[0].shape}));
  for (std::size_t i = 0; i < matrix_count(in[0]); ++i) {
    const std::vector<arma::mat> parts = page::split_heads(matrix(in[0], i), h);
    for (std::size_t k = 0; k < h; ++k) set_matrix(heads, i * h + k, parts[k]);
  }
  return heads;
}

Tensor merged(const Arguments& in) {
  const std::size_t h = in[0].shape[in[0].rank() - 3];
  Tensor M(merged_shape(in.operation(), {in[0].shape}));
  for (std::size_t i = 0; i < matrix_count(M); ++i) {
    std::vector<arma::mat> parts;
    for (std::size_t k = 0; k < h; ++k) parts.push_back(matrix(in[0], i * h + k));
    set_matrix(M, i, page::merge_heads(parts));
  }
  return M;
}

void explain_moved(Explanation& e, const CellReader& read, Index from) {
  const CellRef source = read.cell(0, std::move(from));
  e.set_single(read.plain(source.value), {source});
  e.formula = read.name(0, source);
}

void explain_split(Explanation& e, const CellReader& read) {
  const std::size_t width = read.result_shape().back(), head = read.index[read.index.size() - 3];
  Index from(read.index.begin(), read.index.end() - 3);
  from.insert(from.end(), {read.row(), head * width + read.column()});
  explain_moved(e, read, std::move(from));
}

void explain_merged(Explanation& e, const CellReader& read) {
  const std::size_t width = read.shape(0).back();
  Index from(read.index.begin(), read.index.end() - 2);
  from.insert(from.end(), {read.column() / width, read.row(), read.column() % width});
  explain_moved(e, read, std::move(from));
}

std::string split_formula(const std::string& name, std::size_t h) {
  return "split(" + name + ", h = " + std::to_string(h) + ")";
}

} // namespace

constinit const Op op::split_heads = {
    .name = "split_heads",
    .formula =
        [](const Operation& o) { return split_formula(o.inputs[0], static_cast<std::size_t>(o.constant)); },
    .shape = split_shape,
    .value = split,
    .rows = {0, 1},
    .work = free_of_cost,
    .explain = explain_split,
    .vjp = [](const Computed& c, std::size_t) -> std::optional<Vjp> {
      const std::string d = gradient_name(c.result.name);
      return Vjp{"merge(" + d + ")", op::merge_heads(d)};
    },
    .shape_hint = "heads"};

constinit const Op op::merge_heads = {
    .name = "merge_heads",
    .formula = [](const Operation&) { return std::string("[head₁ … head_h]"); },
    .shape = merged_shape,
    .value = merged,
    .rows = {0, 1},
    .work = free_of_cost,
    .explain = explain_merged,
    .vjp = [](const Computed& c, std::size_t) -> std::optional<Vjp> {
      const std::string d = gradient_name(c.result.name);
      const std::size_t h = c.shape(0)[c.shape(0).size() - 3];
      return Vjp{split_formula(d, h), op::split_heads(d).with(static_cast<double>(h))};
    },
    .shape_hint = "merged"};

} // namespace tfx
