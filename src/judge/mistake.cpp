#include "judge/mistake.hpp"

#include "core/error.hpp"
#include "trace/compute.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tfx {

const std::vector<Mistake>& mistakes() {
  static const std::vector<Mistake> all = [] {
    std::vector<Mistake> list;
    for (const auto& of_lesson :
         {qkv_mistakes, scores_mistakes, softmax_mistakes, attention_mistakes, masked_mistakes,
          multihead_mistakes, cross_mistakes, embed_mistakes, block_mistakes, loss_mistakes,
          training_mistakes, beam_mistakes, cache_mistakes})
      std::ranges::move(of_lesson(), std::back_inserter(list));
    return list;
  }();
  return all;
}

const Mistake* find_mistake(const std::string& id) {
  const auto found = std::ranges::find(mistakes(), id, &Mistake::id);
  return found == mistakes().end() ? nullptr : &*found;
}

void refuse_shapes(const std::string& operation, std::size_t a, std::size_t b) {
  throw Error(ErrorKind::bad_data, operation + ": " + std::to_string(a) + " ≠ " + std::to_string(b));
}

std::string with_shape(const std::string& name, const Shape& shape) {
  return name + " " + to_string(shape);
}

namespace {

// Armadillo's words on what does not fit name no tensor.
void require_fitting(const Trace& t, const How& how) {
  if (how.op == Op::mask_fill || how.op == Op::mask_keep) {
    const Shape &a = t[how.inputs[0]].shape, &mask = t[how.inputs[1]].shape;
    const auto [own, of_mask] = std::mismatch(a.end() - 2, a.end(), mask.end() - 2);
    if (own != a.end())
      refuse_shapes(with_shape(how.inputs[0], a) + ", " + with_shape(how.inputs[1], mask), *own, *of_mask);
  }
  if (how.op != Op::matmul && how.op != Op::matmul_transposed && how.op != Op::weighted_sum) return;
  const Shape& a = t[how.inputs[0]].shape;
  Shape b = t[how.inputs[1]].shape;
  const bool turned = how.op == Op::matmul_transposed;
  if (turned) std::swap(b[b.size() - 2], b.back());
  if (a.back() != b[b.size() - 2])
    refuse_shapes(with_shape(how.inputs[0], a) + " · " + with_shape(how.inputs[1] + (turned ? "ᵀ" : ""), b),
                  a.back(), b[b.size() - 2]);
}

} // namespace

Step computed_instead(const Trace& trace, const Step& right, std::string formula, How how) {
  require_fitting(trace, how);
  Step step = right;
  step.value =
      compute(how, right.value.shape, [&](const std::string& name) -> const Tensor& { return trace[name]; });
  step.formula = std::move(formula);
  step.how = std::move(how);
  if (step.value.shape != right.value.shape) step.labels.assign(step.value.rank(), {});
  return step;
}

Step valued_instead(const Step& right, std::string formula, Tensor value) {
  Step step = right;
  step.value = std::move(value);
  step.formula = std::move(formula);
  step.how = how::given();
  if (step.value.shape != right.value.shape) step.labels.assign(step.value.rank(), {});
  return step;
}

Step cells_instead(const Step& right, std::string formula, const std::function<double(std::size_t)>& cell) {
  Tensor value = right.value;
  for (std::size_t i = 0; i < value.size(); ++i) value.data[i] = cell(i);
  return valued_instead(right, std::move(formula), std::move(value));
}

std::string softmax_input(const Trace& trace) {
  return trace.has("masked") ? "masked" : trace.has("scaled") ? "scaled" : "scores";
}

std::string per_head(const Trace& trace, const std::string& name) {
  return trace.has(name + "_heads") ? name + "_heads" : name;
}

} // namespace tfx
