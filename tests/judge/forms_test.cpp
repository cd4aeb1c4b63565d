// What is seen of an array that is right in another form, or wrong by a formula that no catalogue has.

#include "judge/check_report.hpp"
#include "judge/forms.hpp"
#include "judge/instead.hpp"
#include "judge/solved.hpp"
#include "support/catch.hpp"
#include "support/lesson_trace.hpp"
#include "support/not_finite.hpp"

#include <algorithm>
#include <cmath>

using namespace tfx;

namespace {

Step step_of(const std::string& name, Tensor value) {
  Step step;
  step.name = name;
  step.labels.assign(value.rank(), {});
  step.value = std::move(value);
  return step;
}

std::string form(const Tensor& lessons, const Tensor& yours, const std::string& name = "T") {
  const Step step = step_of(name, lessons);
  const auto found = other_form(step, yours, Tolerance{});
  return found ? found->id : "none";
}

std::string cells(const Tensor& lessons, const Tensor& yours) {
  const Step step = step_of("T", lessons);
  const auto found = other_cells(Trace{}, step, yours, Tolerance{});
  return found ? found->id : "none";
}

HandedIn handed(const std::string& name, Tensor value) {
  HandedIn one;
  one.tensor = name;
  one.array.values = std::move(value);
  return one;
}

} // namespace

TEST_CASE("the lesson's numbers are recognized in another form", "[judge][check]") {
  const Tensor T({2, 3}, {1, 2, 4, 8, 16, 32});
  CHECK(form(T, Tensor({6}, T.data)) == "reshaped");
  CHECK(form(T, Tensor({3}, {9, 18, 36})) == "reduced");
  CHECK(form(T, Tensor({3}, {4.5, 9, 18})) == "reduced");
  CHECK(form(T, Tensor({2}, {7, 56})) == "reduced");
  CHECK(form(T, Tensor({2, 2}, {1, 2, 8, 16})) == "part");
  CHECK(form(T, Tensor({2}, {2, 2})) == "row_numbers");
  CHECK(form(Tensor({2, 2}, {3, 4, 3, 4}), Tensor({1, 2}, {3, 4})) != "none");
  CHECK(form(Tensor({2, 2, 2}, {0.2, 0.8, 0.4, 0.6, 0.6, 0.4, 0.8, 0.2}),
             Tensor({2, 2}, {0.4, 0.6, 0.6, 0.4}), "weights") == "heads_mean");
  CHECK(form(Tensor({}, {2}), Tensor({3}, {1, 2, 3})) == "unreduced");
  CHECK(form(T, Tensor({2, 3}, {1, 2, 4, 8, 16, 33})) == "none");
  CHECK(form(T, Tensor({5}, {1, 2, 4, 8, 16})) == "none");
}

TEST_CASE("masks and fills of other libraries are conventions", "[judge][check]") {
  const Tensor mask({2, 2}, {1, 0, 1, 1});
  CHECK(form(mask, Tensor({2, 2}, {0, 1, 0, 0}), "mask") == "mask_inverted");
  CHECK(form(mask, Tensor({2, 2}, {0, -inf, 0, 0}), "mask") == "mask_added");
  CHECK(form(mask, Tensor({2, 2}, {0, -1e9, 0, 0}), "mask") == "mask_added");
  CHECK(form(mask, Tensor({2, 2}, {0, -1, 0, 0}), "mask") == "none");
  CHECK(form(mask, Tensor({2, 2}, {0, 1, 0, 0}), "weights") != "mask_inverted"); // of one key, or saturated
  const Tensor masked({2, 2}, {0.5, -inf, 0.25, 2});
  CHECK(form(masked, Tensor({2, 2}, {0.5, -1e9, 0.25, 2})) == "filled");
  CHECK(form(masked, Tensor({2, 2}, {0.5, -9, 0.25, 2})) == "none");
  CHECK(form(masked, Tensor({2, 2}, {0.5, -1e9, 0.25, 3})) == "none");
}

TEST_CASE("rows with a number of their own, and cells of a kind that are 0", "[judge][check]") {
  const Tensor T({3, 3}, {1, -2, 4, 3, 5, -6, 7, 8, 9.5});
  Tensor moved = T, scaled = T;
  for (std::size_t i = 0; i < 9; ++i)
    moved.data[i] += static_cast<double>(i / 3), scaled.data[i] *= 1 + static_cast<double>(i / 3);
  CHECK(cells(T, moved) == "rows_moved");
  CHECK(cells(T, scaled) == "rows_scaled");
  CHECK(cells(T, Tensor({3, 3}, {1, 0, 0, 3, 5, 0, 7, 8, 9.5})) == "zeroed");
  CHECK(cells(T, Tensor({3, 3}, {1, 0, 4, 3, 5, 0, 7, 8, 9.5})) == "zeroed");
  CHECK(cells(T, Tensor({3, 3}, {1, 0, 4, 3, 0, 0, 7, 8, 9.5})) == "none");
}

TEST_CASE("what divided the scores, or stands where the mask blocks, is solved for", "[judge][check]") {
  InputOptions options;
  options.n_q = 5, options.d_model = 4, options.d_k = 3, options.causal = true, options.seed = 3;
  const Trace right = trace_of("masked", options);
  const auto softmax = [&](auto score) {
    Tensor weights = right["scores"];
    for (std::size_t row = 0; row < weights.size(); row += 5) {
      double sum = 0;
      for (std::size_t i = row; i < row + 5; ++i) sum += weights.data[i] = std::exp(score(i));
      for (std::size_t i = row; i < row + 5; ++i) weights.data[i] /= sum;
    }
    return weights;
  };
  const auto blocked = [&](std::size_t i) { return right["mask"].data[i] == 0; };
  const auto id = [&](const Tensor& weights, double wanted) {
    const auto found = solved(right, *right.find("weights"), weights, Tolerance{});
    if (!found) return std::string("none");
    CHECK(std::get<double>(found->facts.at("value")) == Approx(wanted));
    return found->id;
  };
  CHECK(id(softmax([&](std::size_t i) { return blocked(i) ? -inf : right["scores"].data[i] / 1.37; }),
           1.37) == "divisor");
  CHECK(id(softmax([&](std::size_t i) { return right["scaled"].data[i] - (blocked(i) ? 3.5 : 0); }), -3.5) ==
        "added_number");
  CHECK(id(softmax([&](std::size_t i) { return blocked(i) ? -2.25 : right["scaled"].data[i]; }), -2.25) ==
        "filled_number");
}

TEST_CASE("a formula in a step's place is found, and none that changes what is right", "[judge][check]") {
  InputOptions options;
  options.n_q = 5, options.d_model = 4, options.d_k = 3, options.d_v = 3, options.seed = 5;
  const Trace right = trace_of("attention", options);
  Tensor sum = right["output"];
  for (std::size_t i = 0; i < sum.size(); ++i) sum.data[i] += right["V"].data[i];
  const auto found = instead_of_steps(right, "output", sum, Tolerance{}, {"weights"});
  REQUIRE(found.size() == 1);
  CHECK(found[0].formula == "(weights·V) + V");
  CHECK(found[0].steps == std::vector<std::string>{"output"});
  CHECK(found[0].lessons == "weights·V");
  // Uniform weights give the mean: not where the weights were handed in, and are right.
  Tensor mean = right["output"];
  for (std::size_t i = 0; i < mean.size(); ++i) {
    mean.data[i] = 0;
    for (std::size_t k = 0; k < 5; ++k) mean.data[i] += right["V"].data[3 * k + i % 3] / 5;
  }
  REQUIRE_FALSE(instead_of_steps(right, "output", mean, Tolerance{}, {}).empty());
  CHECK(instead_of_steps(right, "output", mean, Tolerance{}, {})[0].formula == "1/n_k");
  CHECK(instead_of_steps(right, "output", mean, Tolerance{}, {"weights"}).empty());
}

TEST_CASE("what differs on the way to something right is excused, where the result is what is required",
          "[judge][check]") {
  const Trace right = trace_of("softmax");
  Tensor scores = right["scores"];
  for (double& x : scores.data) x /= 2;
  const std::vector<HandedIn> arrays{handed("scores", scores), handed("weights", right["weights"])};
  CHECK_FALSE(check_arrays(right, arrays).equal());
  const CheckReport excused = check_arrays(right, arrays, {}, {"weights"});
  CHECK(excused.equal());
  REQUIRE(excused.tensors.size() == 2);
  CHECK(excused.tensors[0].excused);
  REQUIRE_FALSE(excused.tensors[0].convention.empty());
  CHECK(excused.tensors[0].convention[0].id == "factor");
  CHECK_FALSE(check_arrays(right, arrays, {}, {"scores", "weights"}).equal());
  // What comes behind the result excuses nothing.
  Tensor entropy = right["entropy"];
  for (double& x : entropy.data) x *= 2;
  CHECK_FALSE(
      check_arrays(right, {handed("weights", right["weights"]), handed("entropy", entropy)}, {}, {"weights"})
          .equal());
}
