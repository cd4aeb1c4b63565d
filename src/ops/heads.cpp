#include "ops/shared.hpp"

#include "ops/cell_reader.hpp"
#include "ops/shape_rule.hpp"
#include "page/formulas.hpp"

#include <algorithm>

namespace tfx {

namespace {

Shape split_shape(Shape shape, std::size_t h) {
  shape.insert(shape.end() - 2, h);
  shape.back() /= h;
  return shape;
}

Shape merged_shape(Shape shape) {
  const std::size_t h = shape[shape.size() - 3];
  shape.erase(shape.end() - 3);
  shape.back() *= h;
  return shape;
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

std::size_t group_of(const Arguments& in) {
  return static_cast<std::size_t>(in.constant());
}

/// Calls visit(head of the many, head of the few, cells of a head) for every head of a group.
template <class Visit>
void each_in_group(const Tensor& many, std::size_t group, const Visit& visit) {
  const std::size_t size = many.shape[many.rank() - 2] * many.shape.back();
  for (std::size_t head = 0; head < matrix_count(many); ++head) visit(head * size, head / group * size, size);
}

// "K[0, q1, 2]", of the head that this one repeats.
void explain_repeated(Explanation& e, const CellReader& read) {
  Index from = read.index;
  from[from.size() - 3] /= static_cast<std::size_t>(read.operation().constant);
  explain_moved(e, read, std::move(from));
}

void explain_group_sum(Explanation& e, const CellReader& read) {
  const auto group = static_cast<std::size_t>(read.operation().constant);
  for (std::size_t k = 0; k < group; ++k) {
    Index from = read.index;
    std::size_t& head = from[from.size() - 3];
    head = head * group + k;
    const CellRef x = read.cell(0, std::move(from));
    e.terms.push_back({read.factor(x.value), x.value, {x}});
    e.formula += (k ? " + " : "") + read.name(0, x);
  }
}

std::string split_formula(const std::string& name, std::size_t h) {
  return "split(" + name + ", h = " + std::to_string(h) + ")";
}

} // namespace

Tensor split_heads(const Tensor& M, std::size_t h) {
  Tensor heads(split_shape(M.shape, h));
  for (std::size_t i = 0; i < matrix_count(M); ++i) {
    const std::vector<arma::mat> parts = page::split_heads(matrix(M, i), h);
    for (std::size_t k = 0; k < h; ++k) set_matrix(heads, i * h + k, parts[k]);
  }
  return heads;
}

Tensor merge_heads(const Tensor& heads) {
  const std::size_t h = heads.shape[heads.rank() - 3];
  Tensor M(merged_shape(heads.shape));
  for (std::size_t i = 0; i < matrix_count(M); ++i) {
    std::vector<arma::mat> parts;
    for (std::size_t k = 0; k < h; ++k) parts.push_back(matrix(heads, i * h + k));
    set_matrix(M, i, page::merge_heads(parts));
  }
  return M;
}

constinit const Op op::split_heads = {
    .name = "split_heads",
    .formula =
        [](const Operation& o) { return split_formula(o.inputs[0], static_cast<std::size_t>(o.constant)); },
    .shape =
        [](const Arguments& in) {
          const auto h = static_cast<std::size_t>(in.constant());
          if (const std::size_t rest = in[0].shape.back() % h)
            refuse_shapes(with_shape(in, 0) + " % " + std::to_string(h), rest, 0);
          return split_shape(in[0].shape, h);
        },
    .value =
        [](const Arguments& in) { return tfx::split_heads(in[0], static_cast<std::size_t>(in.constant())); },
    .rows = {0, 1},
    .work = free_of_cost,
    .explain = explain_split,
    .vjp = [](const Computed& c, std::size_t) -> std::optional<Vjp> {
      const std::string d = gradient_name(c.result.name);
      return Vjp{"merge(" + d + ")", op::merge_heads(d)};
    },
    .shape_hint = "heads",
    .counts_from = 1};

constinit const Op op::merge_heads = {
    .name = "merge_heads",
    .formula = [](const Operation&) { return std::string("[head₁ … head_h]"); },
    .shape =
        [](const Arguments& in) {
          if (in[0].rank() < 3) refuse_shapes(with_shape(in, 0), in[0].rank(), 3);
          return merged_shape(in[0].shape);
        },
    .value = [](const Arguments& in) { return tfx::merge_heads(in[0]); },
    .rows = {0, 1},
    .work = free_of_cost,
    .explain = explain_merged,
    .vjp = [](const Computed& c, std::size_t) -> std::optional<Vjp> {
      const std::string d = gradient_name(c.result.name);
      const std::size_t h = c.shape(0)[c.shape(0).size() - 3];
      return Vjp{split_formula(d, h), op::split_heads(d).with(static_cast<double>(h))};
    },
    .shape_hint = "merged"};

constinit const Op op::repeat_heads = {
    .name = "repeat_heads",
    .formula = [](const Operation& o) { return "repeat(" + o.inputs[0] + ", " + o.constant_text + ")"; },
    .shape =
        [](const Arguments& in) {
          require_axes(in, 0, 3);
          Shape shape = in[0].shape;
          shape[shape.size() - 3] *= group_of(in);
          return shape;
        },
    .value =
        [](const Arguments& in) {
          Tensor many(op::repeat_heads.shape(in));
          each_in_group(many, group_of(in), [&](std::size_t to, std::size_t from, std::size_t size) {
            std::copy_n(in[0].data.data() + from, size, many.data.data() + to);
          });
          return many;
        },
    .rows = {0, 1},
    .columns = {0, 0},
    .work = free_of_cost,
    .explain = explain_repeated,
    .vjp = [](const Computed& c, std::size_t) -> std::optional<Vjp> {
      const std::string d = gradient_name(c.result.name), &group = c.operation.constant_text;
      return Vjp{"groupsum(" + d + ", " + group + ")", op::sum_heads(d).with(c.operation.constant, group)};
    },
    .counts_from = 1};

constinit const Op op::sum_heads = {
    .name = "sum_heads",
    .formula = [](const Operation& o) { return "groupsum(" + o.inputs[0] + ", " + o.constant_text + ")"; },
    .shape =
        [](const Arguments& in) {
          require_axes(in, 0, 3);
          Shape shape = in[0].shape;
          std::size_t& heads = shape[shape.size() - 3];
          if (const std::size_t rest = heads % group_of(in))
            refuse_shapes(with_shape(in, 0) + " % " + std::to_string(group_of(in)), rest, 0);
          heads /= group_of(in);
          return shape;
        },
    .value =
        [](const Arguments& in) {
          Tensor few(op::sum_heads.shape(in));
          each_in_group(in[0], group_of(in), [&](std::size_t from, std::size_t to, std::size_t size) {
            for (std::size_t i = 0; i < size; ++i) few.data[to + i] += in[0].data[from + i];
          });
          return few;
        },
    .rows = {0, 1},
    .columns = {0, 0},
    .work =
        [](const Computed& c) {
          return Work{0, c.input_cells()};
        },
    .explain = explain_group_sum,
    .terms = [](const Computed& c) { return static_cast<std::size_t>(c.operation.constant); },
    .counts_from = 1};

} // namespace tfx
