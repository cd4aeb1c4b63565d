// What `tfx explain` writes can be typed into a calculator: it gives the cell, for every operation of every
// lesson.

#include "trace/explain.hpp"

#include "core/error.hpp"
#include "lessons/run.hpp"
#include "support/catch.hpp"
#include "support/expression.hpp"
#include "support/lesson_cases.hpp"
#include "support/pages_of_parts.hpp"
#include "trace/trace.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>

using namespace tfx;

namespace {

constexpr std::size_t every_term = static_cast<std::size_t>(-1), few = 8;
constexpr int all_digits = 17;

bool same(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

bool near(double a, double b) {
  return same(a, b) || std::abs(a - b) <= 1e-12 * std::max(1.0, std::abs(b));
}

// The number after the "⇒" of a rule; nothing where the rule ends in a name.
std::optional<double> outcome(const std::string& rule) {
  const std::string arrow = "⇒ ";
  const auto at = rule.rfind(arrow);
  if (at == std::string::npos) return std::nullopt;
  try {
    return calculate(rule.substr(at + arrow.size()));
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

/// Counts and collects over all explanations; the first wrong one is kept in words.
struct Verdict {
  std::string wrong;
  std::set<const Op*> operations;
  std::size_t cells = 0, truncated = 0;

  void require(bool right, const Explanation& e, const std::string& what) {
    if (!right && wrong.empty())
      wrong = e.label + ": " + what + ": " + arithmetic(e, every_term, all_digits) + " / " + e.rule;
  }
};

void check_reads(const Trace& trace, const Explanation& e, Verdict& verdict) {
  for (const Term& term : e.terms)
    for (const CellRef& read : term.reads)
      verdict.require(same(read.value, trace[read.tensor].at(read.index)), e,
                      "a value read from " + read.tensor);
}

// A rule says what it gives, and where it alone decides there is no arithmetic to believe; everywhere else
// the arithmetic gives the cell, rule or not.
void check_arithmetic(const Explanation& e, const Operation& operation, Verdict& verdict) {
  const std::optional<double> decided = outcome(e.rule);
  if (decided) verdict.require(same(*decided, e.cell.value), e, "the rule");
  if (e.by_rule) return verdict.require(decided.has_value(), e, "a rule without an outcome");
  if (operation.is(op::first_max) || e.terms.empty()) return;
  for (const Term& term : e.terms)
    verdict.require(near(calculate(term.text), term.value), e, "term " + term.text);
  const double whole = calculate(arithmetic(e, every_term, all_digits));
  if (operation.constant_text == "float32") {
    verdict.require(static_cast<double>(static_cast<float>(whole)) == e.cell.value && e.rule == "float32", e,
                    "the sum in float32");
    return;
  }
  verdict.require(near(whole, e.cell.value), e, "the arithmetic");
  if (e.terms.size() <= few || e.between != " + ") return;
  verdict.require(near(calculate(arithmetic(e, few, all_digits)), e.cell.value), e,
                  "eight terms and the rest");
  ++verdict.truncated;
}

bool holds(const std::vector<CellRef>& cells, const CellRef& cell) {
  return std::any_of(cells.begin(), cells.end(),
                     [&](const CellRef& c) { return c.tensor == cell.tensor && c.index == cell.index; });
}

// Every cell read by the largest terms is explained in turn, once, and no other.
void check_sources(const Explanation& e, Verdict& verdict) {
  std::vector<CellRef> reads, sources;
  for (std::size_t i : largest_terms(e, few))
    for (const CellRef& read : e.terms[i].reads) reads.push_back(read);
  for (const Explanation& source : e.sources) {
    verdict.require(holds(reads, source.cell) && !holds(sources, source.cell), e, "source " + source.label);
    sources.push_back(source.cell);
  }
  for (const CellRef& read : reads) verdict.require(holds(sources, read), e, "no source for " + read.tensor);
}

using Cell = std::pair<std::string, Index>;

Cell cell_of(const Explanation& e) {
  return {e.cell.tensor, e.cell.index};
}

// Every explanation below, and what each cell that is told in full has as sources.
void collect(const Explanation& e, std::map<Cell, const Explanation*>& told, Verdict& verdict) {
  if (e.repeated) {
    verdict.require(told.contains(cell_of(e)), e, "a reference to nothing");
    return verdict.require(e.terms.empty() && e.sources.empty(), e, "a repetition repeats");
  }
  verdict.require(told.emplace(cell_of(e), &e).second, e, "told twice");
  for (const Explanation& source : e.sources) collect(source, told, verdict);
}

// How many steps lie between a cell and the first one, by the shortest way.
std::map<Cell, int> distances(const Explanation& first, const std::map<Cell, const Explanation*>& told) {
  std::map<Cell, int> distance{{cell_of(first), 0}};
  std::deque<Cell> next{cell_of(first)};
  for (; !next.empty(); next.pop_front())
    for (const Explanation& source : told.at(next.front())->sources)
      if (distance.emplace(cell_of(source), distance.at(next.front()) + 1).second)
        next.push_back(cell_of(source));
  return distance;
}

void check_explanation(const Trace& trace, const Explanation& first, int depth, Verdict& verdict) {
  std::map<Cell, const Explanation*> told;
  collect(first, told, verdict);
  const std::map<Cell, int> distance = distances(first, told);
  for (const auto& [cell, explanation] : told) {
    const Explanation& e = *explanation;
    const Step& step = *trace.find(e.cell.tensor);
    verdict.require(same(e.cell.value, step.value.at(e.cell.index)), e, "the cell");
    verdict.require(e.label == cell_name(step, e.cell.index), e, "the label");
    verdict.operations.insert(step.operation.kind);
    ++verdict.cells;
    check_reads(trace, e, verdict);
    if (step.operation.is(op::given))
      verdict.require(e.terms.empty() && e.rule.empty(), e, "a given cell has no terms");
    else
      verdict.require(!e.formula.empty() && !(e.terms.empty() && e.rule.empty()), e, "nothing is explained");
    if (!e.terms.empty() || outcome(e.rule)) check_arithmetic(e, step.operation, verdict);
    verdict.require(distance.at(cell) <= depth, e, "farther away than asked");
    if (distance.at(cell) < depth)
      check_sources(e, verdict);
    else
      verdict.require(e.sources.empty(), e, "sources that nobody asked for");
  }
}

// Some cells of every tensor, one of them two levels down.
void check_steps(const Trace& trace, std::size_t max_cells, Verdict& verdict) {
  for (const Step& step : trace.steps) {
    const std::size_t stride = step.value.size() / max_cells + 1;
    for (std::size_t i = 0; i < step.value.size(); i += stride) {
      const int depth = i / stride == max_cells / 2 ? 2 : 0;
      const Explanation e = explain(trace, step.name, index_of(step.value.shape, i), depth, few, all_digits);
      check_explanation(trace, e, depth, verdict);
    }
  }
  CHECK(verdict.wrong == "");
}

void check_lesson(const LessonCase& one, std::size_t max_cells, Verdict& verdict) {
  INFO(one.name);
  check_steps(run_lesson(*one.lesson, one.options).trace, max_cells, verdict);
}

} // namespace

TEST_CASE("explanations of every tutorial give their cells", "[trace][explain]") {
  Verdict verdict;
  for (const LessonCase& one : tutorial_cases()) check_lesson(one, 12, verdict);
  CHECK(verdict.cells > 10'000);
  CHECK(verdict.truncated > 2'000);
  CHECK(verdict.operations.count(&op::add) == 1);
}

TEST_CASE("explanations of the learner's own runs give their cells", "[trace][explain][repeats]") {
  const TemporaryFolder folder;
  Verdict verdict;
  for (const LessonCase& one : own_cases(folder)) check_lesson(one, 30, verdict);
  for (const Trace& page : pages_of_parts()) check_steps(page, 30, verdict);
  CHECK(verdict.cells > 100'000);
  for (const Op* operation : all_operations()) {
    INFO(operation->name);
    CHECK(verdict.operations.count(operation) == 1);
  }
}

namespace {

Trace fun_transformer_scores() {
  return run_lesson(find_lesson("scores"), {}).trace;
}

} // namespace

TEST_CASE("an explanation reads as one would write it by hand", "[trace][explain]") {
  const Trace trace = fun_transformer_scores();
  const Explanation e = explain(trace, "scores", {0, 2}, 1, 8, 4);
  CHECK(e.label == "scores[q1, k3]");
  CHECK(e.formula == "Σ Q[q1, :]·K[k3, :]");
  CHECK(arithmetic(e, 8, 4) == "2·2 + 0·4 + 2·3");
  CHECK(arithmetic(e, 1, 4) == "2·3 + … 2 (4)");
  CHECK(arithmetic(e, 2, 4) == "2·2 + 0·4 + 2·3"); // naming one term left out is no shorter
  CHECK(arithmetic(e, 1, 4, [](std::size_t count, const std::string& sum) {
          return std::to_string(count) + " more: " + sum;
        }) == "2·3 + 2 more: 4");
  CHECK(e.cell.value == 10);
  REQUIRE(e.sources.size() == 6);
  CHECK(e.sources[0].label == "Q[q1, 0]");
  CHECK(arithmetic(e.sources[0], 8, 4) == "1·2 + 0·2 + 0·2");
}

namespace {

Trace fully_blocked(const char* lesson, FullyMaskedRow policy) {
  InputOptions options;
  options.text = "a b c", options.pad = 3, options.masked_row = policy;
  return run_lesson(find_lesson(lesson), options).trace;
}

} // namespace

TEST_CASE("a row that may see nothing is explained by its rule", "[trace][explain]") {
  for (const FullyMaskedRow policy : {FullyMaskedRow::zero, FullyMaskedRow::nan}) {
    const std::string fill = policy == FullyMaskedRow::zero ? "0" : "nan";
    const Explanation weight = explain(fully_blocked("masked", policy), "weights", {0, 1}, 1, 8, 4);
    CHECK(weight.by_rule);
    CHECK(weight.rule == "max(masked[a, :]) = −∞ ⇒ " + fill);
    CHECK(weight.reason == "blocked_row");
    REQUIRE(weight.sources.size() == 3);
    CHECK(weight.sources[1].by_rule);
    CHECK(weight.sources[1].rule == "mask[a, b] = 0 ⇒ −∞");
    const Trace softmax = fully_blocked("softmax", policy);
    CHECK(explain(softmax, "row_max", {0, 0}, 0, 8, 4).rule == "max(masked[a, :]) = −∞ ⇒ 0");
    const Explanation share = explain(softmax, "weights", {0, 1}, 0, 8, 4);
    CHECK(share.by_rule);
    CHECK(share.rule == "row_sum[a, 0] = 0 ⇒ " + fill);
  }
}

TEST_CASE("the cosine beside a vector of length 0 is explained by its rule", "[trace][explain]") {
  const TemporaryFolder folder;
  InputOptions options;
  options.words = folder.write("words.csv", "cat,1,2\nnothing,0,0\n");
  const Trace trace = run_lesson(find_lesson("words"), options).trace;
  const Explanation e = explain(trace, "cosines", {0, 1}, 0, 8, 4);
  CHECK(e.by_rule);
  CHECK(e.rule == "norms[nothing] = 0 ⇒ 0");
}

namespace {

void collect(const Explanation& e, std::vector<const Explanation*>& all) {
  all.push_back(&e);
  for (const Explanation& source : e.sources) collect(source, all);
}

} // namespace

TEST_CASE("a cell is explained once, however deep one asks", "[trace][explain]") {
  const Trace trace = run_lesson(find_lesson("attention"), {}).trace;
  const Explanation e = explain(trace, "output", {0, 2}, 20, 8, 4);
  std::vector<const Explanation*> all;
  collect(e, all);
  std::set<std::pair<std::string, Index>> explained;
  std::size_t repeated = 0;
  for (const Explanation* one : all) {
    const std::pair<std::string, Index> cell{one->cell.tensor, one->cell.index};
    CHECK(one->repeated != explained.insert(cell).second);
    repeated += one->repeated;
  }
  CHECK(repeated > 0);
  CHECK(e.sources[0].sources[0].label == "scaled[q1, k1]"); // first in full …
  CHECK_FALSE(e.sources[0].sources[0].repeated);
  REQUIRE(e.sources[2].label == "weights[q1, k2]");
  CHECK(e.sources[2].sources[0].repeated); // … then as above
  CHECK(e.sources[2].sources[0].cell.value == e.sources[0].sources[0].cell.value);
}

// With heads every way from the output down leads to all words again: as a tree this has 10^9 cells.
TEST_CASE("an explanation is no larger than the run", "[trace][explain]") {
  InputOptions options;
  options.heads = 2, options.n_q = 8, options.d_model = 16;
  const Trace trace = run_lesson(find_lesson("multihead"), options).trace;
  std::size_t cells = 0;
  for (const Step& step : trace.steps) cells += step.value.size();
  struct Count final : ExplanationVisitor {
    std::set<Cell> told;
    std::size_t twice = 0, open = 0, deepest = 0;
    void enter(const Explanation& e) override {
      deepest = std::max(deepest, ++open);
      if (!e.repeated) twice += !told.insert(cell_of(e)).second;
    }
    void leave() override { --open; }
  } count;
  explain_down(trace, "output", {0, 0}, 20, {1000, 4}, count);
  CHECK(count.twice == 0);
  CHECK(count.open == 0);
  CHECK(count.told.size() < cells);
  CHECK(count.told.contains({"X", {7, 15}}));
  CHECK(count.deepest <= trace.steps.size());
}

TEST_CASE("of a maximum the winners are shown, of a sum what adds most", "[trace][explain]") {
  Explanation e;
  for (double value : {-9.0, 1.0, -8.0, 3.0, 2.0}) e.terms.push_back({std::to_string(value), value, {}});
  CHECK(largest_terms(e, 2) == std::vector<std::size_t>{0, 2});
  e.between = ", ";
  CHECK(largest_terms(e, 2) == std::vector<std::size_t>{3, 4});
}

TEST_CASE("the largest terms are kept in their order", "[trace][explain]") {
  Explanation e;
  for (double value : {1.0, -5.0, 2.0, 5.0, -0.5}) e.terms.push_back({"", value, {}});
  CHECK(largest_terms(e, 3) == std::vector<std::size_t>{1, 2, 3});
  CHECK(largest_terms(e, 1) == std::vector<std::size_t>{1}); // of equal ones the first
  CHECK(largest_terms(e, 4) == std::vector<std::size_t>{0, 1, 2, 3, 4});
  CHECK(largest_terms(e, 9) == std::vector<std::size_t>{0, 1, 2, 3, 4});
  CHECK(largest_terms(e, 0).empty());
}

TEST_CASE("an index that does not exist is refused with the shape", "[trace][explain]") {
  const Trace trace = fun_transformer_scores();
  const auto refused = [&](const std::string& tensor, const Index& index, const std::string& part) {
    try {
      explain(trace, tensor, index, 0, 8, 4);
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::usage);
      INFO(error.what());
      CHECK(std::string(error.what()).find(part) != std::string::npos);
      return;
    }
    FAIL("nothing was thrown");
  };
  refused("scores", {4, 0}, "(4, 4): index 4 is outside axis 0");
  refused("scores", {0, 4}, "index 4 is outside axis 1");
  refused("scores", {0}, "2 indices, not 1");
  refused("scores", {0, 0, 0}, "2 indices, not 3");
  refused("scores", {}, "2 indices, not 0");
  refused("weights", {0, 0}, "no tensor weights");
}
