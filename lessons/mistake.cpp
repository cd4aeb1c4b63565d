#include "lessons/mistake.hpp"

#include "core/error.hpp"
#include "lessons/compute.hpp"
#include "lessons/fitting.hpp"

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

Step computed_instead(const Trace& trace, const Step& right, std::string formula, How how) {
  require_fitting(trace, how, right.value.shape);
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

std::string softmax_input(const Trace& trace) {
  return trace.has("masked") ? "masked" : trace.has("scaled") ? "scaled" : "scores";
}

std::string per_head(const Trace& trace, const std::string& name) {
  return trace.has(name + "_heads") ? name + "_heads" : name;
}

} // namespace tfx
