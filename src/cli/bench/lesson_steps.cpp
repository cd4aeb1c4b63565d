#include "cli/bench/lesson_steps.hpp"

#include "cli/bench/report.hpp"
#include "core/stopwatch.hpp"
#include "core/tensor.hpp"
#include "lessons/run.hpp"
#include "page/formulas.hpp"
#include "trace/cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace tfx {

namespace {

struct Expression {
  std::string step, text;
  std::function<arma::mat()> run;
};

double seconds_of(const Expression& expression) {
  constexpr int runs = 5;
  std::vector<double> all;
  for (int i = 0; i <= runs; ++i) {
    const Stopwatch watch;
    const arma::mat result = expression.run();
    if (i > 0) all.push_back(watch.seconds()); // the first one warms up
  }
  return median_of(std::move(all));
}

/// On matrices that are ready.
std::vector<Expression> expressions_of(const Trace& trace) {
  const auto ready = [&](const char* name) { return arma::mat(matrix(trace[name])); };
  const arma::mat X = ready("X"), W_Q = ready("W_Q"), W_K = ready("W_K"), W_V = ready("W_V"), Q = ready("Q"),
                  K = ready("K"), V = ready("V"), scaled = ready("scaled"), weights = ready("weights");
  return {{"Q", "X * W_Q", [=] { return arma::mat(X * W_Q); }},
          {"K", "X * W_K", [=] { return arma::mat(X * W_K); }},
          {"V", "X * W_V", [=] { return arma::mat(X * W_V); }},
          {"scores", "Q * K.t()", [=] { return arma::mat(Q * K.t()); }},
          {"weights", "page::softmax(scaled)", [=] { return page::softmax(scaled).weights; }},
          {"output", "weights * V", [=] { return arma::mat(weights * V); }}};
}

} // namespace

LessonSteps time_lesson_steps(std::size_t seq, std::size_t d_model, std::size_t rounds, std::uint32_t seed) {
  InputOptions input;
  input.n_q = seq, input.d_model = d_model, input.seed = seed;
  LessonSteps run{look_at_machine(), seq, d_model, rounds, {}};
  std::vector<std::vector<double>> in_lesson, alone, ratios;
  for (std::size_t round = 0; round < rounds; ++round) {
    Trace trace = run_lesson(find_lesson("attention"), input, RunFor::values).trace;
    time_steps(trace,
               std::numeric_limits<double>::infinity()); // a page stops after a second, a benchmark does not
    const std::vector<Expression> expressions = expressions_of(trace);
    for (std::vector<std::vector<double>>* times : {&in_lesson, &alone, &ratios})
      times->resize(expressions.size());
    for (std::size_t i = 0; i < expressions.size(); ++i) {
      in_lesson[i].push_back(trace.step_named(expressions[i].step).timing.value().median);
      alone[i].push_back(seconds_of(expressions[i]));
      ratios[i].push_back(in_lesson[i].back() / alone[i].back());
      if (round + 1 == rounds)
        run.steps.push_back({expressions[i].step, expressions[i].text, median_of(in_lesson[i]),
                             median_of(alone[i]), median_of(ratios[i])});
    }
  }
  return run;
}

double LessonSteps::between_equals() const {
  const auto [fastest, slowest] = std::minmax({steps[0].in_lesson, steps[1].in_lesson, steps[2].in_lesson});
  return slowest / fastest;
}

Report lesson_steps_report(const LessonSteps& run) {
  Report report = machine_report(run.machine, {});
  report.frame.with_time = true;
  say_machine(report);
  report.add("seq", Count{run.seq}), report.add("d_model", Count{run.d_model});
  report.add("rounds", Count{run.rounds});
  report.trace.facts["seq"] = std::to_string(run.seq), report.trace.facts["d"] = std::to_string(run.d_model);
  report.trace.facts["rounds"] = std::to_string(run.rounds);
  report.say("lesson");
  ReportTable table{.name = "",
                    .columns = {"name", "in_lesson", "alone", "ratio", "expression"},
                    .shown = {},
                    .of_text = true};
  table.shown = table.columns;
  Objects results;
  CheckRows checks;
  const auto two_digits = [](double ratio) { return fmt::format("{:.2f}", ratio); };
  const std::string most = fmt::format("{:.1f}", LessonSteps::most);
  for (const StepBesideExpression& step : run.steps) {
    table.rows.push_back(
        {step.name, Seconds{step.in_lesson}, Seconds{step.alone}, Rounded{step.ratio, 2}, step.expression});
    results.push_back({{{"name", step.name},
                        {"expression", step.expression},
                        {"lesson_milliseconds", 1e3 * step.in_lesson},
                        {"alone_milliseconds", 1e3 * step.alone},
                        {"ratio", step.ratio}}});
    const bool is_within = step.ratio <= LessonSteps::most;
    checks.add(step.name, is_within, step.ratio,
               {is_within ? "ui.step.within" : "ui.step.beyond",
                {{"name", step.name}, {"ratio", two_digits(step.ratio)}, {"most", most}}});
  }
  report.add(std::move(table));
  report.add("results", std::move(results)), report.add("between_equals", run.between_equals());
  report.add(Row{"look", Sentence{"look.lesson"}});
  checks.add("equal_products", run.between_equals() <= LessonSteps::most, run.between_equals(),
             {"ui.equal_products", {{"ratio", two_digits(run.between_equals())}, {"most", most}}});
  checks.into(report);
  return report;
}

} // namespace tfx
