// Lesson 15: from the logits of one step to the token that is written, by each strategy, and the last step of
// a beam search: finished targets, and which is the best. Source: Holtzman et al. 2020, section 3; Wu et al.
// 2016, "Google's Neural Machine Translation System", equation 14, without its coverage.

#include "core/tensor.hpp"
#include "input/lesson_input.hpp"
#include "lessons/decode/experiments.hpp"
#include "steps/attention_steps.hpp"

#include <fmt/format.h>

#include <cmath>

namespace tfx {

namespace {

std::string number(double value) {
  return fmt::format("{}", value);
}

// Of `from` what `kept` lets through, divided by its sum: a distribution again.
void add_renormalised(Trace& t, const std::string& from, const std::string& letter) {
  const std::string kept = "kept_" + letter, cut = "cut_" + letter, mass = "mass_" + letter;
  t.add(cut, op::multiply(from, kept), Role::result);
  t.add(mass, op::row_sum(cut), Role::result);
  t.add("probs_" + letter, op::divide(cut, mass), Role::result);
}

// One step: greedy looks at the logits alone, a draw at what temperature, top-k and top-p have left.
void add_choice(Trace& t, const LessonInput& input) {
  const page::Sampling& s = input.sampling;
  give(t, input, "logits"), give(t, input, "u");
  refuse_not_finite(t, "logits");
  t.add("log_probs", op::log_softmax("logits"), Role::recap, "logits − ln Σ e^logits");
  t.add("greedy", op::first_max("log_probs"), Role::result);
  t.add("tempered", op::divide_by("logits").with(s.temperature, number(s.temperature)), Role::result);
  t.add("probs", op::softmax("tempered"), Role::result);
  t.add("kept_k", op::top_k("probs").with(static_cast<double>(s.top_k), std::to_string(s.top_k)),
        Role::result);
  add_renormalised(t, "probs", "k");
  t.add("before", op::mass_before("probs_k"), Role::result);
  t.add("kept_p", op::below("before").with(s.top_p, number(s.top_p)), Role::result);
  add_renormalised(t, "probs_k", "p");
  t.add("places", op::mass_before("probs_p"), Role::result);
  t.add("taken", op::draw("probs_p", "places", "u"), Role::result);
}

// The targets that a beam ends with: a column each, and which is the best.
void add_beam(Trace& t, const LessonInput& input) {
  give(t, input, "target_log_probs"), give(t, input, "lengths");
  const Step& log_probs = *t.find("target_log_probs");
  const Shape& shape = log_probs.value.shape;
  const auto add = [&](const std::string& name, Operation operation, const std::string& formula) {
    t.add(name, std::move(operation), Role::result, formula);
    t.relabel(-1, log_probs.labels[1]);
  };
  Tensor counted(shape);
  for (std::size_t i = 0; i < counted.size(); ++i)
    counted.data[i] = static_cast<double>(i / shape[1]) < t["lengths"].data[i % shape[1]] ? 1 : 0;
  t.add_input("counted", "[t ≤ lengths]", std::move(counted), log_probs.labels);
  add("sum", op::sum_over("target_log_probs", "counted").with(1, "1").onto({1, shape[1]}),
      "Σ target_log_probs⊙counted");
  Tensor penalty({1, shape[1]});
  for (std::size_t i = 0; i < penalty.size(); ++i)
    penalty.data[i] = std::pow((5 + t["lengths"].data[i]) / 6, length_exponent);
  t.add_input("penalty", "((5 + lengths)/6)^" + number(length_exponent), std::move(penalty),
              {{}, log_probs.labels[1]});
  add("score", op::divide("sum", "penalty"), "sum/penalty");
  add("chosen", op::first_max("score"), "score = max(score)");
}

} // namespace

Trace run_decode(const LessonInput& input) {
  Trace t = begin_trace("decode", input, "probs_p");
  add_choice(t, input);
  add_beam(t, input);
  t.spotlight = {t.main, {0, matrix(t["taken"]).row(0).index_max()}};
  check_choice(t, input);
  compare_strategies(t, input);
  return t;
}

} // namespace tfx
