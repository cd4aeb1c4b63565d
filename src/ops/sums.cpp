#include "ops/shared.hpp"

#include "ops/cell_reader.hpp"
#include "ops/shape_rule.hpp"

namespace tfx {

namespace {

using arma::mat;

void explain_mean(Explanation& e, const CellReader& read) {
  for (std::size_t i = 0; i < read.inputs(); ++i) {
    const Tensor& values = read.input(i).value;
    const std::string count = "/" + std::to_string(values.size());
    for (std::size_t k = 0; k < values.size(); ++k) {
      const CellRef x = read.cell(i, index_of(values.shape, k));
      e.terms.push_back({read.factor(x.value) + count, x.value / static_cast<double>(values.size()), {x}});
    }
    e.formula += (i ? " + Σ " : "Σ ") + read.input(i).name + count;
  }
}

void explain_total(Explanation& e, const CellReader& read) {
  for (std::size_t i = 0; i < read.inputs(); ++i) {
    const CellRef a = read.cell(i, read.index);
    e.terms.push_back({read.factor(a.value), a.value, {a}});
    e.formula += (i ? " + " : "") + read.name(i, a);
  }
}

void explain_sum_over(Explanation& e, const CellReader& read) {
  const bool product = read.inputs() == 2;
  for_each_source(read.shape(0), read.result_shape(), read.index, [&](const Index& at) {
    const CellRef a = read.cell(0, at);
    if (product)
      e.terms.push_back(read.product_term(a, read.at(1, at)));
    else
      e.terms.push_back({read.factor(a.value), a.value, {a}});
  });
  const bool one = e.terms.size() == 1;
  e.formula = one ? read.name(0, e.terms[0].reads[0]) : "Σ " + read.input(0).name;
  if (product) e.formula += "·" + (one ? read.name(1, e.terms[0].reads[1]) : read.input(1).name);
  if (read.operation().constant == -1) e.formula = "−" + e.formula, e.before = "-(", e.after = ")";
}

Tensor value_of_sum(const Arguments& in) {
  Tensor sum =
      sum_onto(in.size() == 2 ? cell_by_cell(in[0], in[1], [](double a, double b) { return a * b; }) : in[0],
               in.operation().shape);
  for (double& x : sum.data) x *= in.constant();
  return sum;
}

} // namespace

void for_each_source(const Shape& shape, const Shape& result, const Index& index,
                     const std::function<void(const Index&)>& visit) {
  const std::size_t rank = shape.size(), missing = rank > result.size() ? rank - result.size() : 0;
  Index first(rank, 0), count(rank, 1);
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const bool summed_over = axis < missing || result[axis + result.size() - rank] == 1;
    if (summed_over)
      count[axis] = shape[axis];
    else if (shape[axis] != 1)
      first[axis] = index[axis + result.size() - rank];
  }
  for (std::size_t i = 0; i < element_count(count); ++i) {
    Index at = index_of(count, i);
    for (std::size_t axis = 0; axis < rank; ++axis) at[axis] += first[axis];
    visit(at);
  }
}

Tensor sum_onto(const Tensor& A, const Shape& shape) {
  Tensor result(shape);
  if (A.shape == shape) {
    for (std::size_t i = 0; i < A.size(); ++i) result.data[i] += A.data[i];
    return result;
  }
  const Shape common = broadcast_shape(A.shape, shape, said("a sum"));
  BroadcastOffset from(A.shape, common), to(shape, common);
  for (std::size_t i = element_count(common); i > 0; --i, ++from, ++to) result.data[*to] += A.data[*from];
  return result;
}

Vjp summed(const std::string& d, const std::string& factor, const Shape& shape, int sign) {
  const std::string terms = factor.empty() ? d : d + "⊙" + factor;
  Operation sum = factor.empty() ? op::sum_over(d) : op::sum_over(d, factor);
  return {(sign < 0 ? "−sum(" : "sum(") + terms + ")",
          std::move(sum).with(sign, std::to_string(sign)).onto(shape)};
}

Vjp passed_on(const Computed& step, std::size_t i, int sign) {
  const std::string d = gradient_name(step.result.name);
  Vjp back = summed(d, {}, step.shape(i), sign);
  if (step.shape(i) == step.result.value.shape) back.formula = (sign < 0 ? "−" : "") + d;
  return back;
}

constinit const Op op::row_sum = {.name = "row_sum",
                                  .formula = [](const Operation& o) { return "rowsum(" + o.inputs[0] + ")"; },
                                  .shape = one_column,
                                  .value =
                                      [](const Arguments& in) {
                                        return for_each_matrix(
                                            in[0], [](const mat& A) { return mat(arma::sum(A, 1)); });
                                      },
                                  .rows = {0, 1},
                                  .work =
                                      [](const Computed& c) {
                                        return Work{0, c.input_cells()};
                                      },
                                  .explain =
                                      [](Explanation& e, const CellReader& read) {
                                        e.formula = "Σ " + read.row_name(0, read.index);
                                        for (const CellRef& x : read.row_of(0))
                                          e.terms.push_back({read.factor(x.value), x.value, {x}});
                                      },
                                  .vjp = [](const Computed& c, std::size_t i) -> std::optional<Vjp> {
                                    const std::string d = gradient_name(c.result.name);
                                    return Vjp{"repeat(" + d + ")", summed(d, {}, c.shape(i)).operation};
                                  },
                                  .terms = row_terms,
                                  .shape_hint = "row"};

constinit const Op op::mean = {
    .name = "mean",
    .formula =
        [](const Operation& o) {
          std::string formula;
          for (const std::string& name : o.inputs)
            formula += (formula.empty() ? "mean(" : " + mean(") + name + ")";
          return formula;
        },
    .shape = [](const Arguments&) { return Shape{}; },
    .value =
        [](const Arguments& in) {
          double sum = 0;
          for (std::size_t i = 0; i < in.size(); ++i) sum += arma::mean(arma::vec(in[i].data));
          return Tensor({}, {sum});
        },
    .work =
        [](const Computed& c) {
          Work work;
          for (const LabelledTensor* input : c.inputs) work.flops += input->value.size() + 1;
          return work;
        },
    .explain = explain_mean,
    .vjp = [](const Computed& c, std::size_t i) -> std::optional<Vjp> {
      const std::size_t cells = element_count(c.shape(i));
      const std::string share = "1/" + std::to_string(cells);
      return Vjp{share, op::uniform(c.name(i)).with(1 / static_cast<double>(cells), share)};
    }};

constinit const Op op::uniform = {.name = "uniform",
                                  .formula = [](const Operation& o) { return o.constant_text; },
                                  .shape = same_shape,
                                  .value =
                                      [](const Arguments& in) {
                                        return Tensor(in[0].shape,
                                                      std::vector<double>(in[0].size(), in.constant()));
                                      },
                                  .rows = {0, 1},
                                  .columns = {0, 0},
                                  .work = free_of_cost,
                                  .explain =
                                      [](Explanation& e, const CellReader& read) {
                                        e.set_single(read.operation().constant_text, {});
                                        e.formula = read.operation().constant_text;
                                      }};

constinit const Op op::total = {.name = "total",
                                .formula =
                                    [](const Operation& o) {
                                      std::string formula;
                                      for (const std::string& part : o.inputs)
                                        formula += (formula.empty() ? "" : " + ") + part;
                                      return formula;
                                    },
                                .shape =
                                    [](const Arguments& in) {
                                      for (std::size_t i = 1; i < in.size(); ++i)
                                        require_same_shape(in, 0, i);
                                      return in[0].shape;
                                    },
                                .value =
                                    [](const Arguments& in) {
                                      Tensor sum = in[0];
                                      for (std::size_t i = 1; i < in.size(); ++i)
                                        for (std::size_t k = 0; k < sum.size(); ++k)
                                          sum.data[k] += in[i].data[k];
                                      return sum;
                                    },
                                .rows = {0, 1},
                                .columns = {0, 0},
                                .work =
                                    [](const Computed& c) {
                                      return Work{0, (c.inputs.size() - 1) * c.cells()};
                                    },
                                .explain = explain_total};

constinit const Op op::sum_over = {.name = "sum_over",
                                   .formula =
                                       [](const Operation& o) {
                                         return summed(o.inputs[0], o.inputs.size() == 2 ? o.inputs[1] : "",
                                                       o.shape, o.constant < 0 ? -1 : 1)
                                             .formula;
                                       },
                                   .shape =
                                       [](const Arguments& in) {
                                         const Shape& onto = in.operation().shape;
                                         common_shape(in);
                                         fitting(with_shape(in, 0) + ", " + to_string(onto), in[0].shape,
                                                 onto);
                                         return onto;
                                       },
                                   .value = value_of_sum,
                                   .rows = {0, 1},
                                   .columns = {0, 0},
                                   .work =
                                       [](const Computed& c) {
                                         // A cell that is its only input cell is moved, not computed.
                                         const bool moved = c.input_cells() <= c.cells() &&
                                                            c.inputs.size() == 1 && c.operation.constant == 1;
                                         return Work{0, moved ? 0 : c.inputs.size() * c.input_cells()};
                                       },
                                   .explain = explain_sum_over,
                                   .terms = [](const Computed& c) { return c.input_cells() / c.cells(); }};

} // namespace tfx
