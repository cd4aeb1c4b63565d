// What goes wrong between two steps of a training. Its words are lesson 14's.

#include "judge/mistake.hpp"

namespace tfx {

namespace {

// A second backward pass adds its gradients to those of the first: on the same data they double.
std::optional<Step> not_zeroed(const Trace& t, const Step& right) {
  if (right.role != Role::gradient || right.name.front() != 'd') return {};
  const Step* of = t.find(right.name.substr(1));
  if (!of || !of->operation.is(op::given)) return {};
  Tensor value = right.value;
  for (double& cell : value.data) cell *= 2;
  return valued_instead(right, right.name + " + " + right.formula, std::move(value));
}

} // namespace

std::vector<Mistake> training_mistakes() {
  return {{"train.gradients_not_zeroed", "lessons/14_train", not_zeroed}};
}

} // namespace tfx
