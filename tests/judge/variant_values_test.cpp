// What wrong formulas give on tutorials' runs, beside the functions that stood in their place before they
// were rows of text (src/judge/{attention,layer}_variants.cpp and variant.cpp of version 0.2 before 26
// November 2026): tests/judge/variants.txt has those functions' shapes, first cells and sums, a line "RUN
// STEP FORMULA NUMBERS". Left out: scales by d_v where there are heads, which was the width of all heads and
// is that of one.

#include "input/tutorials.hpp"
#include "io/file.hpp"
#include "judge/variant.hpp"
#include "lessons/run.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

namespace tfx {

namespace {

using Numbers = std::vector<double>;

// The first cells and a sum in which the order counts; what is no number counts as 1e9.
Numbers summary(const Tensor& value) {
  const auto finite = [](double x) { return std::isfinite(x) ? x : 1e9; };
  Numbers numbers(value.shape.begin(), value.shape.end());
  double sum = 0;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (i < 4) numbers.push_back(finite(value.data[i]));
    if (std::isfinite(value.data[i])) sum += value.data[i] * static_cast<double>(1 + i % 7);
  }
  numbers.push_back(sum);
  return numbers;
}

bool alike(const Numbers& a, const Numbers& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](double x, double y) {
           return std::abs(x - y) <= 1e-9 * std::max(1.0, std::abs(y));
         });
}

} // namespace

TEST_CASE("no count is tried that counts nothing", "[judge][mistakes]") {
  Trace t;
  t.add_input("A", "", Tensor({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}), {});
  t.add("one", op::split_heads("A").with(1, "1"), Role::result);
  t.add("two", op::split_heads("A").with(2, "2"), Role::result);
  t.add("seen", op::padding_mask("A").with(1, "1"), Role::result);
  t.add("kept", op::top_k("A").with(3, "3"), Role::result);
  const auto tried = [&](const std::string& name, const std::string& formula) {
    const auto all = alternatives(t, *t.find(name));
    return std::ranges::count(all, formula, &Alternative::formula) > 0;
  };
  CHECK(tried("one", "split(A, h = 2)")); // of 0 heads a width has no share
  CHECK(tried("two", "split(A, h = 4)"));
  CHECK(tried("seen", "[j < n_k − 0]"));
  CHECK_FALSE(tried("seen", "[j < n_k − -1]"));
  CHECK(tried("kept", "[rank(A) ≤ 2]"));
  CHECK_FALSE(tried("kept", "[rank(A) ≤ 1.5]"));
  CHECK_FALSE(tried("kept", "[rank(A) ≤ -3]"));
}

TEST_CASE("wrong formulas give what the functions before them gave", "[judge][mistakes]") {
  std::map<std::string, std::vector<std::pair<std::string, Numbers>>> expected; // by run and step
  std::istringstream lines(read_file(TFX_SOURCE_DIR "/tests/judge/variants.txt"));
  std::size_t count = 0, found = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    std::istringstream fields(line);
    std::string run, step, formula, number;
    std::getline(fields, run, '\t'), std::getline(fields, step, '\t'), std::getline(fields, formula, '\t');
    Numbers numbers;
    for (double x; fields >> x;) numbers.push_back(x);
    expected[run + "\t" + step].emplace_back(formula, numbers);
  }
  std::map<std::string, Trace> runs;
  for (const auto& [where, formulas] : expected) {
    const std::string run = where.substr(0, where.find('\t')), step = where.substr(run.size() + 1);
    if (!runs.contains(run)) {
      InputOptions options;
      options.tutorial = run.substr(run.find('/') + 1);
      const Lesson& lesson = find_lesson(run.substr(0, run.find('/')));
      runs.emplace(run, lesson.run(resolve_input(options, lesson)));
    }
    const Trace& trace = runs.at(run);
    const std::vector<Alternative> all = alternatives(trace, trace.step_named(step));
    for (const auto& [formula, numbers] : formulas) {
      INFO(where << ": " << formula);
      const auto is_it = [&, name = formula, given = numbers](const Alternative& one) {
        return one.formula == name && alike(summary(one.value), given);
      };
      const bool is_found = std::ranges::any_of(all, is_it);
      CHECK(is_found);
      found += is_found;
    }
  }
  CHECK(count > 1400);
  CHECK(found == count);
}

} // namespace tfx
