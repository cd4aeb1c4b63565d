// Properties of a model that goes on with what repeats itself, and of how a head is measured on it. Those of
// what it can hold of the shipped model, which has learned it; the others of any.

#include "core/tensor.hpp"
#include "judge/probe.hpp"
#include "judge/property_lists.hpp"
#include "lessons/gpt/gpt.hpp"
#include "lessons/induction/induction.hpp"

#include <algorithm>

namespace tfx {

namespace {

constexpr std::uint64_t drawn_by = 7;

bool is_shipped(const LessonInput& input) {
  return input.given.facts.contains(of_the_lesson);
}

// Other sequences with other periods are followed too: the share that is not right.
std::optional<Measured> followed_at_every_period(const Lesson&, const LessonInput& input,
                                                 const Computation& compute) {
  if (!is_shipped(input)) return {};
  double wrong = 0, count = 0;
  const std::size_t longest = input.decoder->max_len / 2;
  for (std::size_t period = longest / 2; period < longest; ++period) {
    const LessonInput own = reading_of(input, repeated_sequence(*input.decoder, period, drawn_by));
    const std::vector<double>& said = own.given["labels"].data;
    const arma::mat log_probs = matrix(compute(own)["log_probs"]);
    for (std::size_t i = period; i < said.size(); ++i)
      wrong += static_cast<double>(log_probs.row(i).index_max()) != said[i], ++count;
  }
  return at_most(wrong / count, 0.1);
}

// Its head is found by its score: it looks there more than anywhere else.
std::optional<Measured> head_found(const Lesson&, const LessonInput& input, const Computation& compute) {
  if (!is_shipped(input)) return {};
  const Trace t =
      compute(reading_of(input, repeated_sequence(*input.decoder, input.decoder->max_len / 2 - 2, drawn_by)));
  return at_least(*std::ranges::max_element(t["score"].data), 0.5);
}

// A query may look at its own place, and at every one before it.
std::optional<Measured> own_place_seen(const Lesson&, const LessonInput& input, const Computation& compute) {
  const Trace t = compute(input);
  double hidden = 0;
  for (const Step& step : t.steps) {
    if (!step.name.ends_with(".self_attn.mask")) continue;
    const std::size_t n = step.value.shape.back();
    for (std::size_t i = 0; i < step.value.size(); ++i)
      hidden += i % n <= i / n % n && step.value.data[i] == 0;
  }
  return at_most(hidden, 0);
}

} // namespace

std::vector<Property> repeated_properties() {
  return only(takes<Input::repeated>, {{"followed_at_every_period", followed_at_every_period},
                                       {"head_found", head_found},
                                       {"own_place_seen", own_place_seen}});
}

} // namespace tfx
