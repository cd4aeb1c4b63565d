// What may be said of a program: sure is only what explains every array of every case.

#include "cli/grade/feedback.hpp"
#include "exercise/grading.hpp"
#include "judge/instead.hpp"
#include "judge/wrong_run.hpp"
#include "support/catch.hpp"

#include <algorithm>

using namespace tfx;

namespace {

using Changed = std::optional<Step> (*)(const Trace&, const Step&);

// A learner whose program does that at a step, and returns these.
Grading graded_with(const char* name, Changed changed, const std::vector<std::string>& returned) {
  const Exercise& exercise = *exercise_named(name);
  const std::vector<Case> series = series_of(exercise);
  const Mistake own{"own", changed};
  std::vector<NamedArray> arrays;
  for (const Case& one : series) {
    const WrongRun run = run_wrong(one.run, {&own});
    REQUIRE_FALSE(run.made.empty());
    for (const std::string& tensor : returned)
      arrays.push_back({one.rule->id + "/" + tensor, {DType::f64, run.trace[tensor]}});
  }
  return graded(exercise, series, arrays);
}

bool suspects(const Diagnosis& diagnosis, const char* id) {
  return std::ranges::any_of(diagnosis.suspects, [&](const Suspect& one) { return one.id() == id; });
}

} // namespace

TEST_CASE("a mistake that another case contradicts is said of its cases alone", "[exercise][grade]") {
  // Where all may be seen the causal mask is forgotten; elsewhere some cells are the other way round, as no
  // formula says.
  const Changed either = [](const Trace& t, const Step& right) -> std::optional<Step> {
    if (right.name != "mask") return {};
    const Tensor& given = cells_beside(t, right, "mask_given");
    const bool open = !std::ranges::count(given.data, 0.0);
    return cells_instead(right, "some cells",
                         [&](std::size_t i) { return open || i % 3 == 1 ? 1 : right.value.data[i]; });
  };
  const Grading grading = graded_with("masked", either, {"weights", "output"});
  REQUIRE(grading.first_wrong);
  CHECK(suspects(grading.diagnosis, "mask.forgotten"));
  CHECK(grading.diagnosis.confidence == Confidence::perhaps);
  CHECK(grading.diagnosis.doubt == Doubt::other_cases);
  CHECK(std::ranges::count(grading.diagnosis.fits, "causal") == 1);
  CHECK(std::ranges::count(grading.diagnosis.contradicts, "blocked") == 1);
  CHECK(named(grading.diagnosis).empty());
  // What is said of it has the cases' names in both languages, and what the words of mistakes may quote.
  Submission submission;
  submission.exercise = {std::shared_ptr<void>(), exercise_named("masked")};
  const std::vector<Case> series = series_of(*submission.exercise);
  const Values values = advice_on(submission, grading, series, 4).mistake.at(0).values;
  const auto said = [&](const char* name) { return std::get<std::string>(values.at(name)); };
  CHECK(said("fits_en").find("causal mask") != std::string::npos);
  CHECK(said("fits_zh").find("因果掩码") != std::string::npos);
  CHECK(said("contradicts_en").find("a row that sees nothing") != std::string::npos);
  for (const auto& [name, fact] : series.at(grading.told.value()).run.facts) CHECK(values.at(name) == fact);
}

TEST_CASE("right tensors of the first wrong case clear a mistake that would change them",
          "[exercise][grade]") {
  // Of X where the mask is open, as if everything were blocked; but the weights are right.
  const Changed of_input = [](const Trace& t, const Step& right) -> std::optional<Step> {
    if (right.name != "norm_2") return {};
    return valued_instead(right, "norm_1", t["norm_1"]);
  };
  const Grading grading =
      graded_with("block", of_input, {"weights", "attention", "residual_1", "norm_2", "output"});
  CHECK_FALSE(suspects(grading.diagnosis, "mask.polarity"));
  CHECK(grading.diagnosis.confidence == Confidence::none);
  const Changed bare_values = [](const Trace& t, const Step& right) -> std::optional<Step> {
    if (right.name != "values") return {};
    return computed_instead(t, right, "X·W_V", op::matmul("X", "W_V"));
  };
  const Grading cached = graded_with("cache", bare_values, {"keys", "values", "output"});
  CHECK(cached.diagnosis.confidence == Confidence::none);
}

TEST_CASE("half of what belongs together is a mistake of its own", "[exercise][grade]") {
  const Changed no_decay = [](const Trace& t, const Step& right) -> std::optional<Step> {
    if (!right.name.starts_with("descent_")) return valued_instead(right, right.formula, right.value);
    return computed_instead(t, right, "direction", op::multiply_by(right.operation.inputs[0]).with(1, "1"));
  };
  const Grading grading = graded_with("train", no_decay, {"m_W_Q", "v_W_Q", "W_Q_after"});
  CHECK(named(grading.diagnosis) == std::vector<std::string>{"adam.no_decay"});
  // One head of two, or K alone: it is told where.
  const Changed one_projection = [](const Trace& t, const Step& right) -> std::optional<Step> {
    if (right.name != "K") return {};
    return computed_instead(t, right, "X·W_K", op::matmul("X", "W_K"));
  };
  const Grading projections = graded_with("qkv", one_projection, {"Q", "K", "V"});
  REQUIRE(projections.diagnosis.suspects.size() == 1);
  CHECK(projections.diagnosis.confidence == Confidence::sure);
  CHECK(projections.diagnosis.suspects[0].at == "K");
}

TEST_CASE("what a frame returned for each matrix of a batch, and all of them share, is once",
          "[exercise][grade]") {
  const Exercise& exercise = *exercise_named("masked");
  const std::vector<Case> series = series_of(exercise);
  const auto graded_of = [&](double last) {
    std::vector<NamedArray> arrays;
    for (const Case& one : series)
      for (const char* name : {"mask", "weights", "output"}) {
        Tensor value = one.run[name];
        if (one.rule->id == std::string("batch") && name == std::string("mask")) {
          const std::size_t cells = value.size();
          value.data.insert(value.data.end(), value.data.begin(),
                            value.data.begin() + static_cast<long>(cells));
          value.shape.insert(value.shape.begin(), 2);
          value.data.back() = last;
        }
        arrays.push_back({one.rule->id + ("/" + std::string(name)), {DType::f64, value}});
      }
    return graded(exercise, series, arrays);
  };
  const double last =
      std::ranges::find(series, std::string("batch"), [](const Case& one) { return one.rule->id; })
          ->run["mask"]
          .data.back();
  for (const GradedCase& one : graded_of(last).cases) CHECK(one.convention.empty());
  CHECK(std::ranges::any_of(graded_of(1 - last).cases,
                            [](const GradedCase& one) { return !one.convention.empty(); }));
}

TEST_CASE("only a model says something: a step's greedy is a row of 0 and 1", "[exercise][grade]") {
  const Exercise& exercise = *exercise_named("decode");
  const std::vector<Case> series = series_of(exercise);
  std::vector<NamedArray> arrays;
  for (const Case& one : series)
    for (const Slot& slot : exercise.results)
      arrays.push_back({one.rule->id + "/" + slot.name, {DType::f64, one.run[slot.name]}});
  for (const GradedCase& one : graded(exercise, series, arrays).cases) {
    CHECK(one.pass());
    CHECK(one.said.empty());
  }
}

namespace {

bool is_seen(const Grading& grading, const char* id, const char* fact, const std::string& text) {
  return std::ranges::any_of(grading.observations, [&](const Observation& one) {
    return one.id == id && one.facts.contains(fact) &&
           std::get<std::string>(one.facts.at(fact)).find(text) != std::string::npos;
  });
}

} // namespace

TEST_CASE("an option of the lesson that makes every case right is named", "[exercise][grade]") {
  const Exercise& exercise = *exercise_named("block");
  Exercise standard = exercise;
  for (CaseRule& rule : standard.series) rule.typed += " --norm standard";
  std::vector<NamedArray> arrays;
  for (const Case& one : series_of(standard))
    arrays.push_back({one.rule->id + "/output", {DType::f64, one.run["output"]}});
  const Grading grading = graded(exercise, series_of(exercise), arrays);
  CHECK(is_seen(grading, "option", "option", "--norm standard"));
  CHECK(grading.diagnosis.suspects.empty());
}

TEST_CASE("a formula that explains most of the cases is said, and no mistake that explains fewer",
          "[exercise][grade]") {
  const Changed nearest = [](const Trace& t, const Step& right) -> std::optional<Step> {
    if (right.name != "distances") return {};
    return cells_instead(right, "1 − cosines", [&](std::size_t i) { return 1 - t["cosines"].data[i]; });
  };
  CHECK(is_seen(graded_with("words", nearest, {"norms", "dots", "cosines", "distances"}), "instead",
                "formula", "1 − cosine"));
  // A bias of another projection: of one phase they would differ by one number.
  const Changed other_bias = [](const Trace& t, const Step& right) -> std::optional<Step> {
    if (right.name != "K") return {};
    return computed_instead(t, right, "X·W_K + b_Q", op::matmul("X", "W_K", "b_Q"));
  };
  CHECK(is_seen(graded_with("qkv", other_bias, {"Q", "K", "V"}), "instead", "formula", "b_Q"));
}

TEST_CASE("a number that is the lesson's times the same in every case is told as a factor",
          "[exercise][grade]") {
  const Changed negative = [](const Trace&, const Step& right) -> std::optional<Step> {
    if (right.name != "loss") return {};
    return cells_instead(right, "−loss", [&](std::size_t i) { return -right.value.data[i]; });
  };
  CHECK(is_seen(graded_with("loss", negative, {"log_probs", "loss", "dlogits"}), "factor", "meaning", "−1"));
  const Changed three = [](const Trace&, const Step& right) -> std::optional<Step> {
    if (right.name != "training_bytes") return {};
    return cells_instead(right, "3/4", [&](std::size_t i) { return 0.75 * right.value.data[i]; });
  };
  CHECK(is_seen(graded_with("params", three, {"total", "macs", "flops", "training_bytes"}), "factor",
                "meaning", "3/4"));
}

TEST_CASE("a count without some of its parts is told by their names", "[exercise][grade]") {
  const Changed no_biases = [](const Trace& t, const Step& right) -> std::optional<Step> {
    if (right.name != "parameters") return {};
    return cells_instead(right, "weights", [&](std::size_t i) {
      return i < 4 ? t["weight_count"].data[i] : right.value.data[i];
    });
  };
  CHECK(is_seen(graded_with("params", no_biases, {"total", "macs", "flops", "training_bytes"}), "counted",
                "parts", "b: W_Q, b: W_K, b: W_V, b: W_O"));
}

TEST_CASE("a correction without the power of beta is found, of both averages by the run's own beta",
          "[exercise][grade]") {
  const Exercise& train = *exercise_named("train");
  const std::vector<Case> series = series_of(train);
  const auto later =
      std::ranges::find_if(series, [](const Case& one) { return one.rule->id == "later_step"; });
  REQUIRE(later != series.end());
  for (const auto& [average, beta] : {std::pair("m_W_Q", 0.9), std::pair("v_W_Q", 0.98)}) {
    Tensor yours = later->run[average];
    for (double& x : yours.data) x /= 1 - beta;
    const std::string corrected = std::string(1, average[0]) + "_hat_W_Q";
    const std::vector<Instead> found = instead_of_steps(later->run, corrected, yours, Tolerance{}, {}, 40);
    CHECK(std::ranges::count(found, "average/(1 − β)", &Instead::formula) > 0); // there, or in both averages
  }
}
