#include "cli/bench/lesson_steps.hpp"

#include "cli/bench/screen.hpp"
#include "core/number.hpp"
#include "core/stopwatch.hpp"
#include "core/tensor.hpp"
#include "lessons/run.hpp"
#include "page/formulas.hpp"
#include "render/footer.hpp"
#include "render/json.hpp"
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

std::string render_lesson_steps(const LessonSteps& run, const Screen& screen, const Words& words,
                                const Style& style) {
  Trace trace;
  state_machine(trace, run.machine, {});
  trace.facts["seq"] = std::to_string(run.seq), trace.facts["d"] = std::to_string(run.d_model);
  trace.facts["rounds"] = std::to_string(run.rounds);
  Paper paper(trace, words, style);
  write_title(paper, screen);
  show_machine(paper);
  paper.paragraph(paper.word("lesson"));
  Table table{
      {paper.column("in_lesson"), paper.column("alone"), paper.column("ratio"), paper.column("expression")},
      {},
      Table::Last::text};
  for (const StepBesideExpression& step : run.steps)
    table.rows.push_back({step.name,
                          {format_seconds(step.in_lesson), format_seconds(step.alone),
                           fmt::format("{:.2f}", step.ratio), step.expression},
                          0,
                          false});
  paper.table(table);
  if (const auto text = paper.word("look.lesson")) paper.row(paper.ui("look"), *text);
  std::string name = paper.ui("check");
  for (const StepBesideExpression& step : run.steps) {
    const bool within = step.ratio <= LessonSteps::most;
    paper.row(name,
              (within ? "✓ " : "✗ ") + paper.ui(within ? "step.within" : "step.beyond",
                                                {{"name", step.name},
                                                 {"ratio", fmt::format("{:.2f}", step.ratio)},
                                                 {"most", fmt::format("{:.1f}", LessonSteps::most)}}),
              true);
    name.clear();
  }
  const bool equal = run.between_equals() <= LessonSteps::most;
  paper.row(name,
            (equal ? "✓ " : "✗ ") +
                paper.ui("equal_products", {{"ratio", fmt::format("{:.2f}", run.between_equals())},
                                            {"most", fmt::format("{:.1f}", LessonSteps::most)}}),
            true);
  write_next(paper, screen, "tfx bench ladder");
  return paper.take();
}

std::string lesson_steps_json(const LessonSteps& run) {
  JsonWriter json;
  begin_command(json, "bench");
  json.key("seq"), json.value(run.seq);
  json.key("d_model"), json.value(run.d_model);
  json.key("rounds"), json.value(run.rounds);
  json.key("results");
  json.begin_array();
  for (const StepBesideExpression& step : run.steps) {
    json.begin_object();
    json.key("name"), json.value(step.name);
    json.key("expression"), json.value(step.expression);
    json.key("lesson_milliseconds"), json.value(1e3 * step.in_lesson);
    json.key("alone_milliseconds"), json.value(1e3 * step.alone);
    json.key("ratio"), json.value(step.ratio);
    json.end_object();
  }
  json.end_array();
  json.key("between_equals"), json.value(run.between_equals());
  json.end_object();
  return json.take();
}

} // namespace tfx
