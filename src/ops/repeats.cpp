#include "ops/shared.hpp"

#include "core/tensor.hpp"
#include "ops/cell_reader.hpp"
#include "ops/shape_rule.hpp"
#include "page/layer_formulas.hpp"

namespace tfx {

namespace {

Tensor score_of_heads(const Arguments& in) {
  const arma::uvec ids = whole_numbers(in[1]);
  Tensor scores(Shape(in[0].shape.begin(), in[0].shape.end() - 2));
  for (std::size_t i = 0; i < scores.size(); ++i)
    scores.data[i] = page::induction_score(matrix(in[0], i), ids);
  return scores;
}

void explain_score(Explanation& e, const CellReader& read) {
  const arma::uvec numbers = whole_numbers(read.input(1).value);
  std::vector<CellRef> places;
  for (arma::uword q = 0; q < numbers.n_elem; ++q)
    if (const auto k = page::stood_before(numbers, q)) {
      Index at = read.index;
      at.push_back(q), at.push_back(*k + 1);
      places.push_back(read.cell(0, at));
    }
  const std::string count = "/" + std::to_string(places.size());
  for (const CellRef& weight : places)
    e.terms.push_back(
        {read.factor(weight.value) + count, weight.value / static_cast<double>(places.size()), {weight}});
  const std::string& ids = read.input(1).name;
  e.formula = "Σ " + read.input(0).name + "[…, q, k]" + count + ", k = 1 + max{j < q: " + ids +
              "[j] = " + ids + "[q]}";
  if (places.empty()) e.set_single("0", {}), read.decide(e, "∄ j < q: " + ids + "[j] = " + ids + "[q]");
}

} // namespace

constinit const Op op::induction_score = {
    .name = "induction_score",
    .formula = [](const Operation& o) { return "induction_score(" + o.inputs[0] + ", " + o.inputs[1] + ")"; },
    .shape =
        [](const Arguments& in) {
          require_axes(in, 0, 2), require_axes(in, 1, 1);
          const Shape& weights = in[0].shape;
          for (const std::size_t extent : {weights[weights.size() - 2], weights.back()})
            if (extent != in[1].size())
              refuse_shapes(with_shape(in, 0) + ", " + with_shape(in, 1), extent, in[1].size());
          return Shape(weights.begin(), weights.end() - 2);
        },
    .value = score_of_heads,
    .work =
        [](const Computed& c) {
          return Work{0, c.cells() * c.inputs[1]->value.size()};
        },
    .explain = explain_score};

} // namespace tfx
