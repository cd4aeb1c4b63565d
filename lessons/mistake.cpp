#include "lessons/mistake.hpp"

#include "core/error.hpp"
#include "lessons/compute.hpp"

#include <algorithm>
#include <iterator>

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

namespace {

[[noreturn]] void refuse(const Trace& t, const std::string& a, const std::string& b,
                         const std::string& what) {
  throw Error(ErrorKind::bad_data, a + " of shape " + to_string(t[a].shape) + " and " + b + " of shape " +
                                       to_string(t[b].shape) + " " + what);
}

// Armadillo's words on what does not fit name no tensor.
void require_fitting(const Trace& t, const How& how) {
  if (how.op == Op::mask_fill || how.op == Op::mask_keep) {
    const Shape &a = t[how.inputs[0]].shape, &mask = t[how.inputs[1]].shape;
    if (!std::equal(a.end() - 2, a.end(), mask.end() - 2))
      refuse(t, how.inputs[0], how.inputs[1], "do not fit: a mask has a row a query and a column a key");
  }
  if (how.op != Op::matmul && how.op != Op::matmul_transposed && how.op != Op::weighted_sum) return;
  const Shape &a = t[how.inputs[0]].shape, &b = t[how.inputs[1]].shape;
  if (a.back() != (how.op == Op::matmul_transposed ? b.back() : b[b.size() - 2]))
    refuse(t, how.inputs[0], how.inputs[1], "cannot be multiplied like this");
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

std::string softmax_input(const Trace& trace) {
  return trace.has("masked") ? "masked" : trace.has("scaled") ? "scaled" : "scores";
}

std::string per_head(const Trace& trace, const std::string& name) {
  return trace.has(name + "_heads") ? name + "_heads" : name;
}

} // namespace tfx
