// Properties of a logit that is taken apart and of a stream that is read early: on the model's run that the
// lesson is given, whose own logits say what has to come out.

#include "core/tensor.hpp"
#include "judge/probe.hpp"
#include "judge/property_lists.hpp"
#include "lessons/lens/lens.hpp"
#include "trace/checks.hpp"

#include <cmath>

namespace tfx {

namespace {

double sum_of_terms(const Tensor& T) {
  double sum = 0;
  for (const double x : T.data) sum += x;
  return sum;
}

// The terms add up to the logit, and those of a difference to the difference.
std::optional<Measured> terms_add_up(const Lesson&, const LessonInput& input, const Computation& compute) {
  const Trace t = compute(input);
  const Tensor& logits = input.given["logits"];
  const std::size_t row = asked_number(t, "place") * logits.shape.back();
  const double logit = logits.data[row + asked_number(t, "token")];
  double off = relative_difference(arma::mat{sum_of_terms(t["terms"])}, arma::mat{logit});
  if (t.has("against"))
    off =
        std::max(off, relative_difference(arma::mat{sum_of_terms(t["difference.terms"])},
                                          arma::mat{logit - logits.data[row + asked_number(t, "against")]}));
  return at_most(off, rounding);
}

// What the parts wrote is the stream at its end. Nothing where norms stand between them.
std::optional<Measured> parts_add_up(const Lesson&, const LessonInput& input, const Computation& compute) {
  const Trace t = compute(input);
  if (!t.has("parts")) return {};
  const arma::mat parts = matrix(t["parts"]), stream = matrix(t["stream"]);
  return at_most(relative_difference(arma::mat(arma::sum(parts, 0)), arma::mat(stream.tail_rows(1))),
                 rounding);
}

// Read behind the last part, the stream says what the model says.
std::optional<Measured> lens_ends(const Lesson&, const LessonInput& input, const Computation& compute) {
  const Trace t = compute(input);
  const arma::mat lens = matrix(t["lens"]),
                  answer =
                      arma::exp(arma::mat(matrix(input.given["log_probs"])).row(asked_number(t, "place")));
  return at_most(absolute_difference(arma::mat(lens.tail_rows(1)), answer), rounding);
}

} // namespace

std::vector<Property> lens_properties() {
  return only(takes<Input::answer>,
              {{"parts_add_up", parts_add_up}, {"terms_add_up", terms_add_up}, {"lens_ends", lens_ends}});
}

} // namespace tfx
