// The last step of a beam search, on the page: finished targets, and which is the best. Source: lesson 15; Wu
// et al. 2016, "Google's Neural Machine Translation System", equation 14, without its coverage.

#include "input/give.hpp"
#include "steps/attention_steps.hpp"

#include <cmath>

namespace tfx {

Trace run_decode(const LessonInput& input) {
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
  constexpr double exponent = 0.6; // Vaswani et al. 2017, 6.1
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
