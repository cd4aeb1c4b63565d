#pragma once
// An operation and everything that tfx knows of it, in one object: what it computes, the shape and the labels
// of its result, what it costs, how a cell of it is written as arithmetic (its explanation), and how a
// gradient goes back through it. ops.hpp names them all, by family.
//
//     trace.add("scores", op::matmul_transposed("Q", "K"), Role::result);

#include "core/shape.hpp"
#include "core/tensor.hpp"

#include <array>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tfx {

/// A cell of a tensor, and its value.
struct CellRef {
  std::string tensor;
  Index index;
  double value = 0;
};

/// "2·4": one summand of a cell.
struct Term {
  std::string text;
  double value = 0;
  std::vector<CellRef> reads;
};

/// cell = before + terms joined by `between` + after. Text is in plain arithmetic (+ - · / ^ exp ln sqrt max
/// sin cos tanh erf) that a learner can type into a calculator; where a rule decides ("mask = 0"), `rule`
/// says it. With `by_rule` the terms do not add up to the cell: they are only what the rule looked at.
struct Explanation {
  CellRef cell;
  std::string label;   ///< "scores[q1, k3]"
  std::string formula; ///< "Σ Q[q1, :]·K[k3, :]"
  std::string before, between = " + ", after;
  std::vector<Term> terms;
  std::string rule;
  std::string reason; ///< why there is such a rule: a key of the words ("blocked_row"), or empty
  bool by_rule = false;
  bool repeated = false;            ///< explained further above: no formula, no terms, no sources
  std::vector<Explanation> sources; ///< the cells read, explained in turn

  /// One term, which is the cell.
  void set_single(std::string text, std::vector<CellRef> reads);

  /// "mask[a, b] = 0 ⇒ −∞": the condition decides, the terms are only what it looked at. A rule is read, not
  /// typed into a calculator. `result` is the cell as text.
  void decide(const std::string& condition, const std::string& result);
};

struct Op;

namespace op {
extern const Op given; ///< an input: nothing to compute
}

/// What a step does: an operation, the names of the tensors it reads, and its constant if it has one.
struct Operation {
  const Op* kind = &op::given;
  std::vector<std::string> inputs;
  double constant = 0;
  std::string constant_text; ///< the constant as a formula writes it: "√3"
  Shape shape; ///< of the result where its inputs do not say it: a gradient has that of its tensor

  bool is(const Op& operation) const { return kind == &operation; }
  Operation with(double number, std::string text = {}) &&;
  Operation onto(Shape of_result) &&;
};

/// One list an axis; an empty list means plain indices.
using Labels = std::vector<std::vector<std::string>>;

struct LabelledTensor {
  std::string name; ///< "scores"
  Tensor value;
  Labels labels; ///< one list an axis
};

/// What an operation computes with: the values of its inputs in order, and its constant.
class Arguments {
public:
  Arguments(const Operation& operation, std::vector<const Tensor*> inputs)
      : operation_(operation), inputs_(std::move(inputs)) {}

  const Tensor& operator[](std::size_t i) const { return *inputs_[i]; }
  std::size_t size() const { return inputs_.size(); }
  double constant() const { return operation_.constant; }
  const Operation& operation() const { return operation_; }

private:
  const Operation& operation_;
  std::vector<const Tensor*> inputs_;
};

/// A step that has been computed, as its operation sees it.
struct Computed {
  const Operation& operation;
  const LabelledTensor& result;
  std::vector<const LabelledTensor*> inputs;

  const std::string& name(std::size_t i) const { return inputs[i]->name; }
  const Shape& shape(std::size_t i) const { return inputs[i]->value.shape; }
  std::size_t cells() const { return result.value.size(); }
  std::size_t input_cells() const { return inputs[0]->value.size(); }
  std::size_t input_width() const { return shape(0).back(); }
};

/// A MAC is one multiply and one add of a product. FLOPs are counted as trace/cost.hpp says.
struct Work {
  std::size_t macs = 0, flops = 0;
};

/// The vector-Jacobian product of one input: how its gradient follows from that of the result.
struct Vjp {
  std::string formula; ///< "dQ·W_Qᵀ"
  Operation operation; ///< reads the gradient of the result, "d" + its name; 1 of `mean` and `kl_divergence`
};

/// "dW_Q"; "d.generator.proj.bias" of a dotted name.
std::string gradient_name(const std::string& tensor);

/// Where an axis of the result has its labels from: an axis of an input, counted from its last. Input −1:
/// none.
struct AxisOf {
  int input = -1;
  std::size_t from_end = 0;
};

/// How a page lays out a step beside its inputs.
enum class ProductLayout {
  none,
  plain,     ///< A·B: B above the result
  transposed ///< A·Bᵀ: Bᵀ above the result
};

/// Whether L, the number that gradients are of, has a slope where a cell of the first input stands.
enum class Corner {
  none,
  at_zero,   ///< the slope jumps where the cell changes its sign
  near_zero, ///< the slope has a pole at 0: a step must be small beside the cell
  no_spread  ///< no slope where the result is 0
};

class CellReader;

struct Op {
  std::string_view
      name; ///< "matmul_transposed"; part of --json, so it stays what it was where the object's is another
  /// "Q·Kᵀ": what the step's formula is unless the lesson writes another.
  std::string (*formula)(const Operation&) = nullptr;
  /// The result's shape. Throws Error(bad_data) with the shapes of inputs that do not fit
  /// (ops/shape_rule.hpp).
  Shape (*shape)(const Arguments&) = nullptr;
  /// The result, by the page's formula where there is one of this operation alone.
  Tensor (*value)(const Arguments&) = nullptr;
  /// The same without rounding to float32, for an operation that rounds: a staircase has no slope. Null:
  /// `value`.
  Tensor (*unrounded)(const Arguments&) = nullptr;
  AxisOf rows = {}, columns = {}; ///< what the result's last two axes are labelled by
  /// What it costs. Moves, masks and look-ups are free.
  Work (*work)(const Computed&) = nullptr;
  /// One cell as arithmetic: the formula, the terms and what surrounds them.
  void (*explain)(Explanation&, const CellReader&) = nullptr;
  /// The gradient of input `i`; nothing where L does not move with it smoothly: masks, numbers of words, the
  /// row's maximum that a softmax subtracts. Null where that holds of every input, and for what only
  /// gradients need.
  std::optional<Vjp> (*vjp)(const Computed&, std::size_t i) = nullptr;
  Corner corner = Corner::none;
  /// How many terms a cell has, as far as shapes say it; null: one. Whether it can be computed by hand.
  std::size_t (*terms)(const Computed&) = nullptr;
  std::string_view shape_hint =
      {}; ///< the words "hint.shape." + this; empty: whether it keeps its input's shape
  ProductLayout layout = ProductLayout::none;
  bool is_mask = false;      ///< of 0 and 1, by a rule
  bool marks = false;        ///< of 0 and 1: a 0 says as much as a 1
  bool rows_compare = false; ///< its rows are compared and added: scores and weights
  /// Its constant is a count, a whole number from here on: the judge tries no other.
  std::optional<double> counts_from = {};

  /// This operation of the tensors of those names.
  template <std::convertible_to<std::string>... Names>
  Operation operator()(const Names&... names) const {
    return {this, {std::string(names)...}, 0, {}, {}};
  }
  Operation operator()(std::vector<std::string> names) const { return {this, std::move(names), 0, {}, {}}; }
};

/// The result of an operation on tensors that fit.
Tensor compute(const Arguments& arguments);

/// Labels of a result of that shape, from those of the inputs; empty lists where none follow.
Labels labels_of(const Operation& operation, const std::vector<const LabelledTensor*>& inputs,
                 const Shape& result);

/// The vector-Jacobian product of input `i`, if there is one.
std::optional<Vjp> vjp(const Computed& step, std::size_t i);

/// Every operation, family by family.
const std::vector<const Op*>& all_operations();

/// What such a name calls a place on an axis: its label, or its index.
std::string place_name(const LabelledTensor& tensor, std::size_t axis, std::size_t place);

/// "scores[q1, k3]", or "W_Q[0, 2]" where an axis has no labels.
std::string cell_name(const LabelledTensor& tensor, const Index& index);

} // namespace tfx
