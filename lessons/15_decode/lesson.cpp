// The last step of a beam search, on the page: finished targets, and which is the best. Source: lesson 15; Wu
// et al. 2016, "Google's Neural Machine Translation System", equation 14, without its coverage.

#include "input/draws.hpp"
#include "input/give.hpp"
#include "lessons/practice.hpp"
#include "steps/attention_steps.hpp"
#include "trace/labels.hpp"

#include <cmath>

namespace tfx {

namespace {

constexpr double exponent = 0.6; // Vaswani et al. 2017, 6.1
constexpr std::size_t targets = 4, max_tokens = 6;

} // namespace

LessonInput drawn_targets(std::uint32_t seed) {
  LessonInput input;
  Draws draws(seed);
  Tensor log_probs = draws.rand("p", {max_tokens, targets}),
         lengths = draws.randint("lengths", max_tokens - 1, {targets});
  // The longer, the likelier each token: otherwise no penalty would bring a long target to the top.
  for (double& length : lengths.data) length += 2;
  for (std::size_t i = 0; i < log_probs.size(); ++i)
    log_probs.data[i] = std::log(1 - log_probs.data[i] / lengths.data[i % targets]);
  for (const char* line : {"lengths = lengths + 2", "log_probs = np.log(1 - p / lengths)"}) draws.note(line);
  const std::vector<std::string> names = {"A", "B", "C", "D"};
  input.given.add_input("log_probs", "np.random", std::move(log_probs), {numbered("t", max_tokens), names});
  input.given.add_input("lengths", "np.random", std::move(lengths), {names});
  input.given.numpy = draws.lines();
  return input;
}

Trace run_ranked(const LessonInput& input) {
  Trace t = begin("decode", input, "score");
  give(t, input, "log_probs"), give(t, input, "lengths");
  const Step& log_probs = *t.find("log_probs");
  const Shape& shape = log_probs.value.shape;
  const auto add = [&](const std::string& name, Operation operation, const std::string& formula) {
    t.add(name, std::move(operation), Role::result, formula);
    t.relabel(-1, log_probs.labels[1]);
  };
  Tensor counted(shape);
  for (std::size_t i = 0; i < counted.size(); ++i)
    counted.data[i] = static_cast<double>(i / shape[1]) < t["lengths"].data[i % shape[1]] ? 1 : 0;
  t.add_input("counted", "[t ≤ lengths]", std::move(counted), log_probs.labels);
  add("sum", op::sum_over("log_probs", "counted").with(1, "1").onto({1, shape[1]}), "Σ log_probs⊙counted");
  Tensor penalty({1, shape[1]});
  for (std::size_t i = 0; i < penalty.size(); ++i)
    penalty.data[i] = std::pow((5 + t["lengths"].data[i]) / 6, exponent);
  t.add_input("penalty", "((5 + lengths)/6)^0.6", std::move(penalty), {{}, log_probs.labels[1]},
              Role::result);
  add("score", op::divide("sum", "penalty"), "sum/penalty");
  add("chosen", op::first_max("score"), "score = max(score)");
  return t;
}

} // namespace tfx
