#include "course/question.hpp"

#include "core/number.hpp"
#include "course/taught.hpp"
#include "lessons/run.hpp"
#include "support/catch.hpp"
#include "support/lesson_cases.hpp"

#include <cmath>
#include <set>

namespace tfx {

namespace {

constexpr int precision = 4;

// ASCII as an input method writes it.
std::string full_width(const std::string& text) {
  std::string wide;
  for (const char c : text) {
    if (c <= ' ' || c > '~') {
      wide += c;
      continue;
    }
    const int code = 0xFF01 + (c - '!');
    wide += static_cast<char>(0xE0 | code >> 12);
    wide += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    wide += static_cast<char>(0x80 | (code & 0x3F));
  }
  return wide;
}

std::vector<std::string> notations(const NumberAnswer& a) {
  if (std::isinf(a.value)) return {a.value < 0 ? "-inf" : "inf", a.value < 0 ? "−∞" : "∞", "-infinity"};
  const std::string shown = format_number(a.value, precision), whole = format_number(a.value, 17);
  return {shown,
          whole,
          "= " + shown,
          full_width(shown),
          format_number(100 * a.value, 17) + " %",
          format_number(7 * a.value, 17) + "/7"};
}

std::vector<std::string> near_misses(const NumberAnswer& a) {
  if (std::isinf(a.value)) return {"0", "-1000000000", a.value < 0 ? "inf" : "-inf"};
  const double off = std::max(2.1e-4, 0.021 * std::abs(a.value));
  std::vector<std::string> misses = {format_number(a.value + off, 17), format_number(a.value - off, 17),
                                     format_number(100 * (a.value + off), 17) + "%"};
  if (std::abs(a.value) > 1e-3) misses.push_back(format_number(-a.value, 17));
  // Two units of the last digit shown, written to the last digit.
  // Of a number in the hundred thousands they are the rounding of a calculator.
  if (std::abs(a.value) > 0.02 && std::abs(a.value) < 1e5)
    misses.push_back(format_number(a.value + 2.1e-4, 17));
  return misses;
}

std::vector<std::string> notations(const CountAnswer& a) {
  return {std::to_string(a.value), with_separators(a.value), full_width(std::to_string(a.value))};
}

std::vector<std::string> near_misses(const CountAnswer& a) {
  return {std::to_string(a.value + 1), std::to_string(a.value - 1), "-" + std::to_string(a.value),
          std::to_string(a.value) + ".5"};
}

std::vector<std::string> notations(const ShapeAnswer& a) {
  return {to_string(a.shape), to_page_string(a.shape), full_width(to_string(a.shape)),
          "torch.Size([" + to_string(a.shape).substr(1, to_string(a.shape).size() - 2) + "])"};
}

std::vector<std::string> near_misses(const ShapeAnswer& a) {
  std::vector<std::string> misses;
  for (std::size_t axis = 0; axis < a.shape.size(); ++axis) {
    Shape other = a.shape;
    ++other[axis];
    misses.push_back(to_string(other));
  }
  const Shape reversed(a.shape.rbegin(), a.shape.rend());
  if (reversed != a.shape) misses.push_back(to_page_string(reversed));
  Shape more = a.shape;
  more.push_back(1);
  misses.push_back(to_string(more));
  return misses;
}

std::vector<std::string> notations(const MaskAnswer& a) {
  return a.open ? std::vector<std::string>{"1", "yes", "true", "是", "１"}
                : std::vector<std::string>{"0", "no", "false", "否", "０"};
}

std::vector<std::string> near_misses(const MaskAnswer& a) {
  return notations(MaskAnswer{!a.open});
}

std::vector<std::string> notations(const SignAnswer& a) {
  return a.positive ? std::vector<std::string>{"+", "positive", "0.25", "正", "＋"}
                    : std::vector<std::string>{"-", "−", "negative", "-0.25", "负"};
}

std::vector<std::string> near_misses(const SignAnswer& a) {
  std::vector<std::string> misses = notations(SignAnswer{!a.positive});
  misses.push_back("0");
  return misses;
}

std::vector<std::string> notations(const WordAnswer& a) {
  std::vector<std::string> all = {text_of(a)};
  for (const std::size_t i : a.right) {
    const std::string index = std::to_string(i);
    const bool is_label = std::find(a.labels.begin(), a.labels.end(), index) != a.labels.end();
    if (!is_label) all.push_back(index), all.push_back(full_width(index));
  }
  return all;
}

std::vector<std::string> near_misses(const WordAnswer& a) {
  std::vector<std::string> misses = {"nobody"};
  const std::string label = text_of(a);
  if (label != std::to_string(a.count)) misses.push_back(std::to_string(a.count));
  for (std::size_t i = 0; i < a.count; ++i) {
    const bool is_right = std::find(a.right.begin(), a.right.end(), i) != a.right.end();
    if (!is_right && a.labels.empty()) misses.push_back(std::to_string(i));
    if (!is_right && !a.labels.empty() && a.labels[i] != label) misses.push_back(a.labels[i]);
  }
  return misses;
}

void require_judged(const Question& question) {
  std::visit(
      [&](const auto& answer) {
        REQUIRE(judge(question.answer, text_of(question.answer)) == Verdict::right);
        for (const std::string& typed : notations(answer)) {
          if (judge(question.answer, typed) == Verdict::right) continue;
          INFO(name_of(question.kind)
               << " " << question.tensor << " " << to_string(question.index) << ": " << typed);
          FAIL("the answer is not accepted");
        }
        for (const std::string& typed : near_misses(answer)) {
          if (judge(question.answer, typed) != Verdict::right) continue;
          INFO(name_of(question.kind) << " " << question.tensor << " " << to_string(question.index) << ": "
                                      << typed << " for " << text_of(question.answer));
          FAIL("a near miss is accepted");
        }
      },
      question.answer);
}

// The answer from the trace, by other means than the question's.
void require_computed(const Trace& trace, const Question& question) {
  const Step* step = trace.find(question.tensor);
  switch (question.kind) {
  case Question::Kind::cell:
    REQUIRE(std::get<NumberAnswer>(question.answer).value == step->value.at(question.index));
    break;
  case Question::Kind::row_sum: {
    double sum = 0;
    const std::size_t columns = step->value.shape.back();
    std::size_t row = 0;
    for (std::size_t axis = 0; axis < question.index.size(); ++axis)
      row = row * step->value.shape[axis] + question.index[axis];
    for (std::size_t j = columns; j-- > 0;) sum += step->value.data[row * columns + j];
    REQUIRE(std::get<NumberAnswer>(question.answer).value == Approx(sum).margin(1e-12)); // in another order
    break;
  }
  case Question::Kind::largest: {
    const auto& answer = std::get<WordAnswer>(question.answer);
    Index cell = question.index;
    cell.push_back(answer.right.front());
    const double best = step->value.at(cell);
    for (cell.back() = 0; cell.back() < answer.count; ++cell.back())
      REQUIRE(step->value.at(cell) <= best + 2e-4);
    break;
  }
  case Question::Kind::mask:
    REQUIRE(std::get<MaskAnswer>(question.answer).open == (step->value.at(question.index) == 1));
    break;
  case Question::Kind::shape:
    REQUIRE(std::get<ShapeAnswer>(question.answer).shape == step->value.shape);
    break;
  case Question::Kind::count:
  case Question::Kind::zeros: REQUIRE(std::get<CountAnswer>(question.answer).value > 0); break;
  case Question::Kind::sign:
    REQUIRE(std::get<SignAnswer>(question.answer).positive == (step->value.at(question.index) > 0));
    break;
  default: FAIL("no run of a lesson is asked without a part"); break;
  }
}

Trace run(const LessonCase& one) {
  return run_lesson(*one.lesson, one.options).trace;
}

} // namespace

TEST_CASE("every question of every lesson takes its answer in every notation, and no near miss",
          "[course][question]") {
  std::set<std::string> lessons_asked;
  std::set<std::string_view> kinds;
  for (const LessonCase& one : tutorial_cases()) {
    const Trace trace = run(one);
    INFO(one.name);
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      INFO("seed " << seed);
      std::vector<Question> all = questions(trace, seed, 3, precision);
      REQUIRE(all.size() == 3);
      for (Question& question : step_questions(trace, seed, precision)) all.push_back(std::move(question));
      for (const Question& question : all) {
        require_judged(question);
        require_computed(trace, question);
        kinds.insert(name_of(question.kind));
      }
    }
    lessons_asked.insert(one.lesson->command);
  }
  CHECK(lessons_asked.size() == page_lessons().size());
  CHECK(kinds.size() == 8);
}

TEST_CASE("questions are asked of any input, whole batches and blocked rows too", "[course][question]") {
  const TemporaryFolder folder;
  for (LessonCase& one : own_cases(folder)) {
    one.options.grad = false; // its central differences take longer than all the rest
    const Trace trace = run(one);
    INFO(one.name);
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      for (const Question& question : questions(trace, seed, 5, precision)) {
        require_judged(question);
        require_computed(trace, question);
      }
      for (const Question& question : step_questions(trace, seed, precision)) require_judged(question);
    }
  }
}

TEST_CASE("the seed decides the questions, and none comes twice while there are others",
          "[course][question]") {
  const Trace trace = run_lesson(find_lesson("scores"), {}).trace;
  const auto names = [&](std::uint64_t seed) {
    std::vector<std::string> list;
    for (const Question& question : questions(trace, seed, 10, precision))
      list.push_back(std::string(name_of(question.kind)) + question.tensor + to_string(question.index));
    return list;
  };
  CHECK(names(1) == names(1));
  CHECK(names(1) != names(2));
  const auto list = names(3);
  CHECK(std::set<std::string>(list.begin(), list.end()).size() == 10);
  CHECK(questions(trace, 1, 500, precision).size() == 500); // more than there are: some again
}

TEST_CASE("every step that is new in a lesson is asked about once, in order", "[course][question]") {
  for (const Lesson& lesson : page_lessons()) {
    INFO(lesson.command);
    const Trace trace = run_lesson(lesson, {}).trace;
    const std::vector<Question> asked = step_questions(trace, 42, precision);
    CHECK_FALSE(asked.empty());
    std::size_t at = 0;
    for (const Question& question : asked) {
      while (at < trace.steps.size() && trace.steps[at].name != question.tensor) ++at;
      REQUIRE(at < trace.steps.size());
      CHECK(is_new(trace, trace.steps[at++]));
    }
  }
}

TEST_CASE("which part does most is asked where one stands out, and its parts are the answer",
          "[course][question]") {
  const double none = std::nan("");
  const Experiment ablation{
      "ablation",
      {"all", "head 0", "head 1"},
      {"encoder.layers.0.self_attn", "encoder.layers.0.feed_forward", "decoder.layers.0.src_attn"},
      Tensor({3, 3}, {0.1, 0.02, 0.0204, 0.3, none, none, 0.6, -0.1, 0.2})};
  const std::vector<Question> asked = effect_questions(ablation);
  REQUIRE(asked.size() == 2); // two heads that are worth the same to a thousandth are not asked about
  const auto right = [](const Question& question) {
    return std::get<WordAnswer>(question.answer).right.front();
  };
  CHECK(right(asked[0]) == 2);
  CHECK(asked[0].measured == std::vector<double>{0.1, 0.3, 0.6});
  CHECK(right(asked[1]) == 1);
  CHECK(judge(asked[1].answer, "decoder.layers.0.src_attn.head.1") == Verdict::right);
  CHECK(judge(asked[1].answer, "1") == Verdict::right);
  CHECK(judge(asked[1].answer, "0") == Verdict::wrong);
  CHECK(judge(asked[1].answer, "no such part") == Verdict::unreadable);
}

} // namespace tfx
