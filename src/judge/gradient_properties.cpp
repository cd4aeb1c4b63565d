// Properties of gradients.

#include "judge/layer_properties.hpp"
#include "judge/probe.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tfx {

namespace {

// One way through all the numbers that are given and have a gradient: `along` the loss moves as fast as the
// gradients say, or one of them is wrong.
struct Way {
  std::vector<std::pair<std::string, Tensor>> steps; ///< of each given tensor
  double slope = 0;                                  ///< that the gradients promise
  bool fits = true;                                  ///< every gradient has its tensor's shape
};

Way way_through(const Trace& t, const LessonInput& input) {
  Way way;
  std::uint32_t seed = 60;
  for (const Step& step : input.given.steps) {
    const Step* gradient = t.find(gradient_name(step.name));
    if (!gradient) continue;
    const Tensor direction = noise(step.value.shape, ++seed);
    way.fits = way.fits && gradient->value.shape == step.value.shape;
    for (std::size_t i = 0; way.fits && i < direction.size(); ++i)
      way.slope += gradient->value.data[i] * direction.data[i];
    way.steps.emplace_back(step.name, direction);
  }
  return way;
}

double loss_along(const LessonInput& from, const Way& way, double h, const Computation& compute) {
  LessonInput input = from;
  for (const auto& [name, direction] : way.steps)
    for (Step& step : input.given.steps)
      if (step.name == name)
        for (std::size_t i = 0; i < direction.size(); ++i) step.value.data[i] += h * direction.data[i];
  return compute(input)["loss"].data[0];
}

// The loss a little further along every parameter at once, less the loss a little before.
std::optional<Measured> gradients_match(const Lesson& lesson, const LessonInput&,
                                        const Computation& compute) {
  if (!lesson.has_labels()) return {};
  const LessonInput input = causal_probe(lesson, {.n = 3, .d_model = 3, .d_v = 3});
  const Way way = way_through(compute(input), input);
  if (!way.fits || way.steps.empty()) return Measured{false, std::numeric_limits<double>::infinity()};
  const double h = 1e-5,
               measured =
                   (loss_along(input, way, h, compute) - loss_along(input, way, -h, compute)) / (2 * h);
  return at_most(std::abs(way.slope - measured) / std::max(1.0, std::abs(measured)), 1e-6);
}

} // namespace

std::vector<Property> gradient_properties() {
  return {{"gradients_match", gradients_match}};
}

} // namespace tfx
