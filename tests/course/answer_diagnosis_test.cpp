#include "course/quiz.hpp"

#include "core/number.hpp"
#include "lessons/run.hpp"
#include "support/catch.hpp"

#include <cmath>

namespace tfx {

namespace {

// fun-transformer's scores: 8 2 10 2 / 4 0 4 0 / 12 2 14 2 / 10 4 14 3.
Trace scores() {
  return run_lesson(find_lesson("scores"), {}).trace;
}

Question cell_of(const Trace& trace, const std::string& tensor, const Index& index) {
  return {Question::Kind::cell, tensor, index, NumberAnswer{trace[tensor].at(index), 4}};
}

std::string id(const std::optional<AnswerDiagnosis>& found) {
  return found ? found->id : "none";
}

} // namespace

TEST_CASE("a wrong cell is known as another cell, or as the other sign", "[course][diagnosis]") {
  const Trace trace = scores();
  const Question question = cell_of(trace, "scores", {0, 2});
  CHECK(id(diagnose_answer(trace, question, "-10", {})) == "sign");
  const auto transposed = diagnose_answer(trace, question, "12", {});
  REQUIRE(id(transposed) == "transposed");
  CHECK(transposed->index == Index{2, 0});
  const auto row_below = diagnose_answer(trace, question, "4", {});
  REQUIRE(id(row_below) == "other_cell");
  CHECK(row_below->index == Index{1, 2});
  CHECK(diagnose_answer(trace, question, "8", {})->index == Index{0, 0});
  CHECK(id(diagnose_answer(trace, question, "9.7", {})) == "near");
  CHECK(id(diagnose_answer(trace, question, "55", {})) == "none");
  CHECK(id(diagnose_answer(trace, question, "1000", {})) == "percent");
}

TEST_CASE("a step too early and a mistake of the catalogue are named", "[course][diagnosis]") {
  const Trace trace = run_lesson(find_lesson("softmax"), {}).trace;
  const Question scaled = cell_of(trace, "scaled", {3, 1});
  const auto early = diagnose_answer(trace, scaled, "4", {});
  REQUIRE(id(early) == "earlier");
  CHECK(early->tensor == "scores");

  const Question weight = cell_of(trace, "weights", {0, 0});
  const std::vector<WrongTensor> wrong = wrong_tensors(trace, "weights");
  REQUIRE_FALSE(wrong.empty());
  for (const WrongTensor& one : wrong) {
    INFO(one.mistake);
    const double value = one.value.at({0, 0});
    if (is_number(format_number(value, 17), trace["weights"].at({0, 0}), 4) || value == 0)
      continue; // no difference here
    const auto found = diagnose_answer(trace, weight, format_number(value, 17), wrong);
    REQUIRE(id(found) == "mistake");
    for (const WrongTensor& other : wrong)
      if (other.mistake == found->mistake) CHECK(std::abs(other.value.at({0, 0}) - value) < 2e-4);
  }
}

TEST_CASE("a number that stands beside the cell is no mistake that gives it by chance",
          "[course][diagnosis]") {
  const Trace trace = run_lesson(find_lesson("scores"), {}).trace;
  const std::vector<WrongTensor> wrong = wrong_tensors(trace, "scores");
  const auto gives_ten = [](const WrongTensor& one) { return one.value.at({3, 2}) == 10; };
  CHECK(std::ranges::none_of(wrong, [](const WrongTensor& one) { return one.mistake.starts_with("qkv."); }));
  const Question question = cell_of(trace, "scores", {3, 2});
  const auto beside = diagnose_answer(trace, question, "10", wrong);
  INFO(std::ranges::any_of(wrong, gives_ten));
  REQUIRE(id(beside) == "other_cell");
  CHECK(trace["scores"].at(beside->index) == 10);
}

TEST_CASE("a single digit names no cell that is only near it", "[course][diagnosis]") {
  const Trace trace = run_lesson(find_lesson("embed"), {}).trace;
  const Tensor& rows = trace["embedded"];
  REQUIRE(std::abs(rows.at({0, 0}) - 1) < 0.01); // 0.9934, in the rows of both "the"
  REQUIRE(rows.at({4, 0}) == rows.at({0, 0}));
  const Question question = cell_of(trace, "embedded", {1, 0});
  CHECK(id(diagnose_answer(trace, question, "1", {})) == "none");
  CHECK(id(diagnose_answer(trace, question, "0.9934", {})) == "other_cell");
}

TEST_CASE("what may not be seen is not 0", "[course][diagnosis]") {
  const Trace trace = run_lesson(find_lesson("masked"), {}).trace;
  CHECK(id(diagnose_answer(trace, cell_of(trace, "masked", {0, 3}), "0", {})) == "blocked");
}

TEST_CASE("wrong rows, shapes and words have reasons of their own", "[course][diagnosis]") {
  const Trace trace = scores();
  const Question row = {Question::Kind::row_sum, "scores", {0}, NumberAnswer{22, 4}};
  const auto other = diagnose_answer(trace, row, "30", {});
  REQUIRE(id(other) == "other_cell");
  CHECK(other->index == Index{2});

  const Question shape = {Question::Kind::shape, "Q", {}, ShapeAnswer{{4, 3}}};
  CHECK(id(diagnose_answer(trace, shape, "3x4", {})) == "axes_swapped");
  CHECK(id(diagnose_answer(trace, shape, "4", {})) == "axes");
  CHECK(id(diagnose_answer(trace, shape, "4x4", {})) == "none");

  const Question largest = {
      Question::Kind::largest, "scores", {1}, WordAnswer{{"k1", "k2", "k3", "k4"}, 4, {2}}};
  CHECK(id(diagnose_answer(trace, largest, "k2", {})) == "smallest");
  CHECK(id(diagnose_answer(trace, largest, "k1", {})) == "smaller");
  const Question down = {
      Question::Kind::largest, "scores", {0}, WordAnswer{{"k1", "k2", "k3", "k4"}, 4, {0}}};
  CHECK(id(diagnose_answer(trace, down, "k3", {})) == "down_the_column");
}

} // namespace tfx
