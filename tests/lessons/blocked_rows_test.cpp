// Rows that may see nothing: no check claims for them what holds only of the others, and no fact quotes their
// NaN.

#include "io/npy.hpp"
#include "lessons/run.hpp"
#include "support/catch.hpp"
#include "support/not_finite.hpp"
#include "support/temporary_folder.hpp"
#include "trace/checks.hpp"

#include <algorithm>
#include <cmath>
#include <variant>

using namespace tfx;

namespace {

const std::vector<std::string> masking = {"softmax", "attention", "sdpa", "masked", "multihead"};

const Check* find_check(const Trace& trace, const std::string& id) {
  const auto found = std::find_if(trace.checks.begin(), trace.checks.end(),
                                  [&](const Check& check) { return check.id == id; });
  return found == trace.checks.end() ? nullptr : &*found;
}

Trace run_on(const std::string& lesson, FullyMaskedRow policy, const std::optional<std::string>& mask) {
  InputOptions options;
  options.text = "a b c", options.masked_row = policy, options.mask = mask;
  if (!mask) options.pad = 3;
  return run_lesson(find_lesson(lesson), options).trace;
}

// What the words quote is a number; only these say that something is NaN or too large.
void check_facts(const Trace& trace) {
  for (const auto& [name, fact] : trace.facts) {
    INFO(name);
    if (name == "blocked_value" || name == "blocked_weight" || name == "naive_sum") continue;
    if (const auto* number = std::get_if<double>(&fact)) CHECK(std::isfinite(*number));
    if (const auto* numbers = std::get_if<std::vector<double>>(&fact))
      for (const double number : *numbers) CHECK(std::isfinite(number));
  }
  for (const Check& check : trace.checks) {
    INFO(check.id);
    CHECK(check.pass);
    CHECK(std::isfinite(check.value));
  }
}

} // namespace

TEST_CASE("where no row may see anything, nothing is said of rows that do", "[lessons][blocked]") {
  for (const std::string& lesson : masking)
    for (const FullyMaskedRow policy : {FullyMaskedRow::zero, FullyMaskedRow::nan}) {
      INFO(lesson);
      const Trace trace = run_on(lesson, policy, std::nullopt);
      check_facts(trace);
      for (const char* id : {"rows_sum_to_one", "open_rows_sum_to_one", "convex", "open_convex",
                             "large_scores_are_finite", "equals_reference"})
        CHECK(find_check(trace, id) == nullptr);
      CHECK(find_check(trace, "blocked_rows_sum") != nullptr);
      for (const char* fact : {"largest", "naive_sum", "silent", "silenced"})
        CHECK(trace.facts.count(fact) == 0);
    }
}

TEST_CASE("one row that may see nothing is told from the others", "[lessons][blocked]") {
  const TemporaryFolder folder;
  const std::string mask = folder.write("mask.npy", write_npy(Tensor({3, 3}, {0, 0, 0, 1, 1, 0, 1, 1, 1})));
  for (const std::string& lesson : masking)
    for (const FullyMaskedRow policy : {FullyMaskedRow::zero, FullyMaskedRow::nan}) {
      INFO(lesson);
      const Trace trace = run_on(lesson, policy, mask);
      check_facts(trace);
      CHECK(find_check(trace, "rows_sum_to_one") == nullptr);
      CHECK(find_check(trace, "open_rows_sum_to_one") != nullptr);
      CHECK(find_check(trace, "blocked_rows_sum") != nullptr);
      CHECK(std::get<double>(trace.facts.at("blocked_rows")) == 1);
      CHECK(std::get<double>(trace.facts.at("open_rows")) == 2);
      CHECK(std::get<double>(trace.facts.at("rows")) == 3);
      if (lesson == "softmax") {
        CHECK(std::get<std::string>(trace.facts.at("large_row")) == "b");
        CHECK(find_check(trace, "large_scores_are_finite")->value == Approx(1));
      }
      if (lesson == "attention") CHECK(std::get<double>(trace.facts.at("silenced_change")) > 0);
      CHECK(find_check(trace, "convex") == nullptr);
      CHECK((find_check(trace, "open_convex") != nullptr) == (lesson == "attention"));
      if (lesson == "multihead") CHECK(trace.facts.count("nan_weights") == (policy == FullyMaskedRow::nan));
      if (lesson == "masked") {
        CHECK((find_check(trace, "blocked_row_is_zero") != nullptr) == (policy == FullyMaskedRow::zero));
        CHECK((find_check(trace, "blocked_row_is_nan") != nullptr) == (policy == FullyMaskedRow::nan));
      }
    }
}

TEST_CASE("nothing is made of a comparison in which nothing differs", "[lessons][blocked]") {
  InputOptions options;
  options.text = "a b c";
  CHECK(run_lesson(find_lesson("multihead"), options).trace.facts.count("view_wrong") == 0); // one head
  options.pad = 2; // one key takes all the weight, scaled or not
  CHECK(run_lesson(find_lesson("softmax"), options).trace.facts.count("largest") == 0);
  options.pad = 0, options.causal = true; // as for the first row here
  CHECK(std::get<std::string>(run_lesson(find_lesson("softmax"), options).trace.facts.at("row")) == "b");
  options.text = "a b a"; // the last word stands twice
  CHECK(std::get<std::string>(run_lesson(find_lesson("attention"), options).trace.facts.at("silenced")) ==
        "b");
}

TEST_CASE("a row that sees something and does not sum to 1 fails its check", "[lessons][blocked]") {
  const auto checked = [](std::vector<double> masked, std::vector<double> weights, double blocked) {
    Trace trace;
    trace.add_input("masked", "", Tensor({2, 2}, std::move(masked)), {});
    trace.add_input("weights", "", Tensor({2, 2}, std::move(weights)), {});
    trace.facts["blocked_value"] = blocked;
    check_rows_sum_to_one(trace, "weights");
    return trace;
  };
  const double hidden = -inf;
  CHECK(find_check(checked({1, 2, 3, 4}, {0.5, 0.5, 1, 0}, 0), "rows_sum_to_one")->pass);
  CHECK_FALSE(find_check(checked({1, 2, 3, 4}, {0.5, 0.5, 0, 0}, 0), "rows_sum_to_one")->pass);
  CHECK_FALSE(find_check(checked({1, 2, 3, 4}, {0.5, 0.5, NaN, NaN}, 0), "rows_sum_to_one")->pass);
  CHECK(find_check(checked({1, 2, hidden, hidden}, {0.5, 0.5, NaN, NaN}, NaN), "blocked_rows_sum")->pass);
  CHECK_FALSE(find_check(checked({1, 2, hidden, hidden}, {0.5, 0.5, NaN, NaN}, 0), "blocked_rows_sum")->pass);
  CHECK_FALSE(find_check(checked({1, 2, hidden, hidden}, {0.5, 0.5, 1, 0}, 0), "blocked_rows_sum")->pass);
  CHECK_FALSE(find_check(checked({1, 2, hidden, 0}, {0.5, 0.5, 0, 0}, 0), "rows_sum_to_one")->pass);
}
