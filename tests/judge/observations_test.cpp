// What is said of an answer is true, and says something of it: NaN and infinities, and what looks like a
// relation.

#include "judge/observations.hpp"

#include "core/error.hpp"
#include "exercise/exercise.hpp"
#include "judge/check_report.hpp"
#include "lessons/run.hpp"
#include "support/catch.hpp"
#include "words/in_words.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

using namespace tfx;

namespace {

Trace run_of(const std::string& command, const InputOptions& options = {}) {
  return run_lesson(find_lesson(command), options).trace;
}

CheckReport checked(const Trace& right, const std::string& tensor, Tensor own) {
  return check_arrays(right, {{tensor, {DType::f64, std::move(own)}, FromText::no}});
}

std::string ids(const std::vector<Observation>& seen) {
  std::string text;
  for (const Observation& one : seen) text += (text.empty() ? "" : " ") + one.id;
  return text;
}

std::string fact(const CheckReport& report, const char* key) {
  return std::get<std::string>(report.observations.at(0).facts.at(key));
}

} // namespace

TEST_CASE("of an answer with NaN or infinities only that is said, where, and what makes it",
          "[judge][check]") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(),
                   inf = std::numeric_limits<double>::infinity();
  std::size_t tried = 0;
  for (const Lesson& lesson : page_lessons()) {
    const Trace right = run_lesson(lesson, {}).trace;
    if (right.steps.size() > 100) continue;
    for (const Step& step : right.steps) {
      if (step.operation.is(op::given) || step.value.size() < 2 || !std::isfinite(step.value.data[0]))
        continue;
      const double bad = std::array{nan, inf, -inf}[++tried % 3];
      Tensor own = step.value;
      own.data[0] = bad;
      if (tried % 2) std::ranges::fill(own.data, bad);
      INFO(lesson.command << "." << step.name << (tried % 2 ? " all " : " one ") << bad);
      const CheckReport report = checked(right, step.name, own);
      CHECK(report.diagnosis.confidence != Confidence::sure);
      CHECK(ids(report.observations) == "not_finite");
      CHECK(fact(report, "kind") == (std::isnan(bad) ? "NaN" : bad > 0 ? "∞" : "−∞"));
    }
  }
}

TEST_CASE("what makes NaN is told from what the tensor is made of", "[judge][check]") {
  const double nan = std::nan("");
  const auto cause = [&](const Trace& right, const std::string& tensor, double bad) {
    Tensor own = right[tensor];
    std::ranges::fill(own.data, bad);
    return fact(checked(right, tensor, std::move(own)), "how");
  };
  InputOptions padded;
  padded.text = "the cat sat", padded.pad = 1;
  CHECK(cause(run_of("softmax"), "weights", nan) == "other");
  InputOptions blocked;
  blocked.causal = true, blocked.n_q = 4, blocked.n_k = 2;
  CHECK(cause(run_of("train"), "direction_W_Q", nan) == "root");
  CHECK(cause(run_of("loss"), "log_probs", -std::numeric_limits<double>::infinity()) == "log");
  // NaN stays right where the lesson has it.
  InputOptions with_nan;
  with_nan.masked_row = FullyMaskedRow::nan;
  const Trace right = run_of("masked", with_nan);
  CHECK(checked(right, "weights", right["weights"]).equal());
}

TEST_CASE("what looks like a relation is said only of what it says something of", "[judge][check]") {
  InputOptions options;
  options.n_q = 4, options.n_k = 4, options.d_k = 4, options.d_model = 4;
  const Trace right = run_of("attention", options);
  const auto moved = [](Tensor tensor, double by) {
    const std::size_t width = tensor.shape.back();
    for (std::size_t i = 0; i < tensor.size(); ++i) tensor.data[i] += by * static_cast<double>(i / width + 1);
    return tensor;
  };
  const auto how = [&](const char* tensor) {
    for (const Observation& one : observations(right, tensor, moved(right[tensor], 0.1), Tolerance{}))
      if (one.id == "rows_moved") return std::string(one.facts.empty() ? "softmax" : "plain");
    return std::string("not said");
  };
  CHECK(how("scores") == "softmax");
  CHECK(how("output") == "plain");
  // Four keys and four numbers each: both are what the factor may be.
  Tensor scaled = right["scores"];
  for (double& x : scaled.data) x *= 4;
  const auto seen = observations(right, "scores", scaled, Tolerance{});
  REQUIRE(ids(seen) == "factor");
  CHECK(std::get<std::string>(seen[0].facts.at("meaning")).find("d_k = ") != std::string::npos);
  CHECK(std::get<std::string>(seen[0].facts.at("meaning")).find("n_k = ") != std::string::npos);
  // Counts are not a little off.
  const Trace counts = run_of("params");
  Tensor off = counts["parameters"];
  for (double& x : off.data) x *= 1.001;
  CHECK(ids(observations(counts, "parameters", off, Tolerance{})).find("near") == std::string::npos);
}

TEST_CASE("what is not the lesson's on the way to a right result is no other way to do it",
          "[judge][check]") {
  const Trace right = run_of("softmax");
  const auto of_row_sum = [&](Tensor own) {
    return check_arrays(right,
                        {{"row_sum", {DType::f64, std::move(own)}, FromText::no},
                         {"weights", {DType::f64, right["weights"]}, FromText::no}},
                        {}, {"weights"});
  };
  const CheckReport nonsense = of_row_sum(Tensor({9, 9}));
  CHECK(nonsense.equal());
  CHECK(nonsense.tensors[0].excused);
  CHECK(ids(nonsense.tensors[0].convention).find("stretched") == std::string::npos);
}

TEST_CASE("every kind of observation has its words, and no other has", "[judge]") {
  std::set<std::string> ids, said;
  for (const ObservationKind& kind : observation_kinds()) CHECK(ids.emplace(kind.id).second);
  const std::string seen = "seen.";
  const Words words = words_alone("src/cli/check");
  for (const auto& [key, text] : words.sections())
    if (key.starts_with(seen)) said.insert(key.substr(seen.size(), key.find('.', seen.size()) - seen.size()));
  CHECK(ids == said);
  CHECK_THROWS_AS(kind_of({"nothing_known", {}}), Error);
}

TEST_CASE("an answer of a run with another option is told by that option", "[judge][check]") {
  struct Asked {
    const char *lesson, *given, *other; ///< what the right run was asked for, and what the answer is of
  };
  for (const Asked& one : {Asked{"block", "", "--norm standard"},
                           {"block", "--norm standard", "--norm annotated"},
                           {"block", "", "--norm-last"},
                           {"block", "--norm-last", "--norm-first"},
                           {"block", "", "--norm standard --norm-last"},
                           {"block", "", "--activation gelu"},
                           {"block", "", "--activation silu"},
                           {"softmax", "", "--causal"},
                           {"sdpa", "--n-q 2 --n-k 5 --causal", "--causal-align lower-right"},
                           {"softmax", "", "--pad 2"},
                           {"masked", "--pad 2", "--pad 3"},
                           {"softmax", "--text a --pad 1", "--on-masked-row nan"},
                           {"multihead", "--d-model 8 --heads 2", "--heads 4"},
                           {"loss", "", "--smoothing 0.1"},
                           {"loss", "--smoothing 0.1", "--smoothing 0"}}) {
    INFO(one.lesson << " " << one.given << ": " << one.other);
    const Lesson& lesson = find_lesson(one.lesson);
    const auto options = [&](bool with_other) {
      // The last of an option that is given twice holds, as CaseRule reads them.
      return CaseRule{"", std::string(one.given) + (with_other ? std::string(" ") + one.other : "")}
          .options();
    };
    const Trace right = run_lesson(lesson, options(false)).trace;
    const std::string tensor = lesson.result == "dlogits" ? "loss" : lesson.result;
    const HandedIn own{tensor, {DType::f64, run_lesson(lesson, options(true)).trace[tensor]}, FromText::no};
    REQUIRE_FALSE(check_arrays(right, {own}).equal());
    CHECK(option_that_fits(lesson, options(false), right, {own}, {}) == one.other);
  }
}

TEST_CASE("where a sure mistake is known, no number is solved for", "[judge][check]") {
  const Trace right = run_of("softmax");
  const WrongRun wrong = run_wrong(right, {find_mistake("softmax.scale_dk")});
  const Tensor& own = wrong.trace["weights"];
  CHECK(ids(observations(right, "weights", own, tolerance_of(DType::f64))).find("divisor") !=
        std::string::npos);
  const CheckReport report = checked(right, "weights", own);
  CHECK(report.diagnosis.confidence == Confidence::sure);
  CHECK(ids(report.observations).find("divisor") == std::string::npos);
}
