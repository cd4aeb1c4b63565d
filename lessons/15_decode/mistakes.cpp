// What learners write instead of the ranking of a beam.

#include "judge/mistake.hpp"

namespace tfx {

namespace {

bool is(const Trace& t, const Step& right, const char* name) {
  return t.lesson == "decode" && right.name == name;
}

std::optional<Step> no_length_penalty(const Trace& t, const Step& right) {
  if (!is(t, right, "penalty")) return {};
  return cells_instead(right, "1", [](std::size_t) { return 1.0; });
}

// A sum of logarithms is negative: a factor makes long targets worse.
std::optional<Step> penalty_multiplied(const Trace& t, const Step& right) {
  if (!is(t, right, "score")) return {};
  return computed_instead(t, right, "sum·penalty", op::multiply("sum", "penalty"));
}

std::optional<Step> after_end(const Trace& t, const Step& right) {
  if (!is(t, right, "counted")) return {};
  return cells_instead(right, "1", [](std::size_t) { return 1.0; });
}

} // namespace

std::vector<Mistake> beam_mistakes() {
  const std::string folder = "lessons/15_decode";
  return {{"beam.no_length_penalty", folder, no_length_penalty},
          {"beam.penalty_multiplied", folder, penalty_multiplied},
          {"beam.after_end", folder, after_end}};
}

} // namespace tfx
