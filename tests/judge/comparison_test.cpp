// When is a learner's array equal, and what is seen where it is not?

#include "core/error.hpp"
#include "judge/check_report.hpp"
#include "judge/comparison.hpp"
#include "judge/observations.hpp"
#include "support/catch.hpp"
#include "support/lesson_trace.hpp"
#include "support/not_finite.hpp"

#include <algorithm>
#include <cmath>

using namespace tfx;

namespace {

std::string first_seen(const Trace& right, const std::string& tensor, const Tensor& yours) {
  const auto seen = observations(right, tensor, yours, Tolerance{});
  return seen.empty() ? "" : seen[0].id;
}

bool seen(const Trace& right, const std::string& tensor, const Tensor& yours, const std::string& id) {
  return std::ranges::count(observations(right, tensor, yours, Tolerance{}), id, &Observation::id) > 0;
}

Tensor turned(const Tensor& t) {
  return to_tensor(arma::mat(matrix(t).t()));
}

} // namespace

TEST_CASE("equal is 1e-9 of each number, 1e-5 in float32", "[judge][check]") {
  const Tensor right({3}, {1, -2, 4});
  const auto scaled = [&](double factor) {
    Tensor own = right;
    for (double& x : own.data) x *= factor;
    return own;
  };
  CHECK(equal_within(scaled(1 + 0.9e-9), right, tolerance_of(DType::f64)));
  CHECK_FALSE(equal_within(scaled(1 + 1.1e-9), right, tolerance_of(DType::f64)));
  CHECK(equal_within(scaled(1 + 0.9e-5), right, tolerance_of(DType::f32)));
  CHECK_FALSE(equal_within(scaled(1 + 1.1e-5), right, tolerance_of(DType::f32)));
  CHECK_FALSE(equal_within(scaled(1 + 1e-8), right, tolerance_of(DType::i64)));
  // A sum that cancels has the rounding errors of its terms.
  CHECK(equal_within(Tensor({2}, {1e-15, 1}), Tensor({2}, {0, 1}), Tolerance{}));
  CHECK_FALSE(equal_within(Tensor({2}, {1e-10, 1}), Tensor({2}, {0, 1}), Tolerance{}));
  CHECK(equal_within(Tensor({3}, {NaN, inf, -inf}), Tensor({3}, {NaN, inf, -inf}), Tolerance{}));
  CHECK_FALSE(equal_within(Tensor({1}, {inf}), Tensor({1}, {-inf}), Tolerance{}));
  CHECK_FALSE(equal_within(Tensor({1}, {NaN}), Tensor({1}, {0}), Tolerance{}));
  CHECK_FALSE(equal_within(Tensor({1}, {-1e9}), Tensor({1}, {-inf}), Tolerance{}));
}

TEST_CASE("leading axes of 1 do not count, others do", "[judge][check]") {
  const Tensor own({1, 1, 2, 3}, {1, 2, 3, 4, 5, 6});
  REQUIRE(fitted(own, {2, 3}));
  CHECK(fitted(own, {2, 3})->shape == Shape{2, 3});
  CHECK(fitted(Tensor({2, 3}, own.data), {1, 2, 3}));
  CHECK_FALSE(fitted(own, {3, 2}));
  CHECK_FALSE(fitted(Tensor({2, 1}, {1, 2}), {2}));
  CHECK(fitted(Tensor({2, 1}, {1, 2}), {2}, FromText::yes)); // a text table has no vectors
  CHECK(fitted(Tensor({1, 1}, {5}), {}));
}

TEST_CASE("a difference says where it begins and how large it is", "[judge][check]") {
  const Difference d = difference(Tensor({2, 2}, {1, 5, 3, NaN}), Tensor({2, 2}, {1, 2, 3, 4}), Tolerance{});
  CHECK(d.different == 2);
  CHECK(d.first == Index{0, 1});
  CHECK(d.yours == 5);
  CHECK(d.lessons == 2);
  CHECK(d.largest == inf);
  CHECK_FALSE(difference(Tensor({2}, {1, 2}), Tensor({3}, {1, 2, 3}), Tolerance{}).same_shape);
}

TEST_CASE("what can be seen of an array is said, not guessed", "[judge][check]") {
  const Trace t = trace_of("softmax");
  const Tensor& scores = t["scores"];
  CHECK(first_seen(t, "scores", turned(scores)) == "transposed");
  CHECK(first_seen(t, "scores", t["Q"]) == "is_tensor");
  CHECK(first_seen(t, "scores", turned(t["Q"])) == "transposed_tensor");
  CHECK(first_seen(t, "scores", Tensor({2, 5}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})) == "shape");
  CHECK(seen(t, "scores", Tensor({4, 3}, {9, 9, 8, 8, 7, 7, 6, 6, 5, 5, 4, 4}), "shape_of"));
  CHECK(first_seen(t, "weights", Tensor(t["weights"].shape)) == "zeros");
  // Heads (h, n, n) handed in as (n, n, h): what np.moveaxis(weights, 0, -1) makes.
  const Trace heads = trace_of("multihead");
  const Tensor& weights = heads["weights"];
  REQUIRE(weights.rank() == 3);
  const std::size_t h = weights.shape[0], n = weights.shape[1];
  Tensor moved({n, n, h});
  for (std::size_t k = 0; k < h; ++k)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) moved.data[(i * n + j) * h + k] = weights.at({k, i, j});
  CHECK(first_seen(heads, "weights", moved) == "axes");

  Tensor own = t["weights"];
  for (double& x : own.data) x = std::round(x * 1000) / 1000;
  CHECK(first_seen(t, "weights", own) == "rounded");
  own = t["weights"];
  for (double& x : own.data) x = static_cast<float>(x);
  CHECK(first_seen(t, "weights", own) == "single");
  own = t["weights"];
  for (double& x : own.data) x /= 1 + 1e-8; // an ε in the denominator
  CHECK(first_seen(t, "weights", own) == "close");
  own = scores;
  for (double& x : own.data) x *= 2.5;
  const auto factor = observations(t, "scores", own, Tolerance{});
  REQUIRE(factor.size() == 1);
  CHECK(factor[0].id == "factor");
  CHECK(std::get<std::string>(factor[0].facts.at("meaning")).empty());
  own = t["weights"];
  for (double& x : own.data) x *= std::sqrt(3.0);
  const auto root = observations(t, "weights", own, Tolerance{});
  REQUIRE(!root.empty());
  CHECK(std::get<std::string>(root[0].facts.at("meaning")) == "√d_k = √d_model = √3");
  own = scores;
  for (double& x : own.data) x += 0.25;
  CHECK(first_seen(t, "scores", own) == "offset");
  own = scores;
  for (std::size_t j = 0; j < 4; ++j) std::swap(own.data[j], own.data[4 + j]);
  CHECK(first_seen(t, "scores", own) == "rows_reordered");
  own = scores;
  own.data[5] = NaN;
  CHECK(seen(t, "scores", own, "not_finite"));
  own = t["weights"];
  own.data[9] += 0.125;
  CHECK(seen(t, "weights", own, "rows_sum"));
  CHECK(seen(t, "weights", own, "only_rows"));
  own.data[4] = own.data[13] = NaN; // after a row that is off, and again
  for (const Observation& one : observations(t, "weights", own, Tolerance{}))
    if (one.id == "rows_sum") CHECK(std::get<std::string>(one.facts.at("row")) == "q2");
  own = t["X"];
  own.data[0] += 1;
  CHECK(first_seen(t, "X", own) == "input");
}

TEST_CASE("later tensors that follow from a wrong one are told from those wrong by themselves",
          "[judge][check]") {
  const Trace right = trace_of("attention");
  const WrongRun wrong = run_wrong(right, {find_mistake("softmax.no_scale")});
  std::vector<HandedIn> arrays;
  for (const char* name : {"output", "weights", "scores", "scaled"}) // in any order
    arrays.push_back({name, {DType::f64, wrong.trace[name]}});
  CheckReport report = check_arrays(right, arrays);
  REQUIRE(report.first_wrong);
  REQUIRE(report.tensors.size() == 4);
  CHECK(report.tensors[*report.first_wrong].name == "scaled");
  CHECK(report.tensors[0].difference.equal());
  CHECK(report.tensors[2].follows);
  CHECK(report.tensors[3].follows);
  // The scaled scores alone could also be those of softmax.scale_after; its weights are others.
  REQUIRE(report.diagnosis.suspects.size() == 1);
  CHECK(report.diagnosis.suspects[0].id() == "softmax.no_scale");
  arrays[0].array.values.data[0] += 1;
  report = check_arrays(right, arrays);
  CHECK(report.tensors[2].follows);
  CHECK_FALSE(report.tensors[3].follows);
}

TEST_CASE("an array of any shape is told from the lesson's, whatever follows from it", "[judge][check]") {
  std::size_t tried = 0;
  for (const std::string lesson : {"softmax", "sdpa", "multihead", "block", "loss"}) {
    const Trace right = trace_of(lesson);
    const std::size_t every = lesson == "block" || lesson == "loss" ? 7 : 1; // they have many tensors
    for (const Step& step : right.steps) {
      const Shape shape = step.value.shape;
      std::vector<Shape> others = {{}, {0}, {1}, {step.value.size()}, {2, 3, 2, 3, 2}};
      for (std::size_t axis = 0; axis < shape.size(); ++axis)
        for (const std::size_t length : {std::size_t{0}, std::size_t{1}, shape[axis] + 1, 2 * shape[axis]}) {
          others.push_back(shape);
          others.back()[axis] = length;
        }
      for (const Shape& other : others) {
        if (++tried % every != 0) continue;
        Tensor own(other);
        for (std::size_t i = 0; i < own.size(); ++i) own.data[i] = 0.37 * static_cast<double>(i + 1);
        INFO(lesson << "." << step.name << " " << to_string(shape) << " as " << to_string(other));
        const CheckReport report = check_arrays(right, {{step.name, {DType::f64, own}}});
        CHECK_FALSE(report.equal());
        CHECK(report.diagnosis.confidence != Confidence::sure);
      }
    }
  }
}

TEST_CASE("what is another array of the lesson, or a transposed one, is not told as two mistakes",
          "[judge][check]") {
  const Trace right = trace_of("softmax");
  for (const Tensor& own : {turned(right["weights"]), right["scores"]}) {
    const CheckReport report = check_arrays(right, {{"weights", {DType::f64, own}}});
    for (const Suspect& suspect : report.diagnosis.suspects) CHECK(suspect.made.size() == 1);
    REQUIRE(!report.observations.empty());
  }
}

TEST_CASE("half precision is refused", "[judge][check]") {
  const Trace right = trace_of("scores");
  CHECK_THROWS_AS(check_arrays(right, {{"scores", {DType::f16, right["scores"]}}}), Error);
}
