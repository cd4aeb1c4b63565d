#include "render/style.hpp"

#include "core/resource.hpp"
#include "judge/wrong_run.hpp"
#include "lessons/run.hpp"
#include "support/catch.hpp"
#include "support/lesson_cases.hpp"
#include "text/utf8.hpp"
#include "text/words.hpp"

#include <algorithm>

using namespace tfx;

namespace {

bool is_ascii(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

Style ascii() {
  Style style;
  style.ascii = true;
  return style;
}

} // namespace

TEST_CASE("symbols have ASCII spellings", "[render][style]") {
  CHECK(ascii().symbols("Q·Kᵀ") == "Q*K^T");
  CHECK(ascii().symbols("scores/√3 → −∞ ≤ 0") == "scores/sqrt 3 -> -inf <= 0");
  CHECK(ascii().symbols("4×3 ✓ …") == "4x3 ok ...");
  CHECK(ascii().symbols("⌊j/2⌋") == "floor(j/2)");
  CHECK(ascii().symbols("plain") == "plain");
  CHECK(ascii().symbols("我") == "我"); // a learner's word is data
  CHECK(Style{}.symbols("Q·Kᵀ ✓") == "Q·Kᵀ ✓");
}

TEST_CASE("every screen in English can be shown in ASCII", "[render][style]") {
  std::vector<std::string> files = {"lessons/en.md"};
  for (const Lesson& lesson : page_lessons()) files.push_back(lesson.folder + "/en.md");
  for (const std::string& file : files) {
    const Words words = Words::parse(resource(file));
    CHECK(words.sections().size() > 5);
    for (const auto& [key, text] : words.sections()) {
      INFO(file << " " << key << ": " << ascii().symbols(text));
      CHECK(is_ascii(ascii().symbols(text)));
    }
  }
  for (const LessonCase& one : tutorial_cases())
    for (const Step& step : run_lesson(*one.lesson, one.options).trace.steps) {
      INFO(step.formula);
      CHECK(is_ascii(ascii().symbols(step.formula)));
    }
}

TEST_CASE("a Chinese character stands beside Chinese punctuation", "[render][style]") {
  std::vector<std::string> files = {"lessons/zh.md", "src/words/zh.md"};
  for (const Lesson& lesson : page_lessons()) files.push_back(lesson.folder + "/zh.md");
  const std::string_view marks = ",:;?!()";
  for (const std::string& file : files) {
    const Words words = Words::parse(resource(file));
    for (const auto& [key, text] : words.sections()) {
      INFO(file << " " << key << ": " << text);
      std::size_t wrong = 0;
      char32_t before = ' ';
      for (std::size_t at = 0; at < text.size();) {
        const CodePoint next = decode(text, at);
        const auto is_mark = [&](char32_t c) {
          return c < 0x80 && marks.find(static_cast<char>(c)) != marks.npos;
        };
        // Code keeps its own brackets beside a sentence's marks: "：(a − b)/n", "np.sqrt(d_k)。".
        const auto ends_part = [](char32_t c) {
          return std::u32string_view(U"，。；：、").find(c) != std::u32string_view::npos;
        };
        const bool beside_code =
            (before == U')' && ends_part(next.value)) || (ends_part(before) && next.value == U'(');
        wrong += !beside_code &&
                 ((is_mark(before) && is_cjk(next.value)) || (is_cjk(before) && is_mark(next.value)));
        before = next.value;
        at += next.length;
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("formulas are notation, the same in every language", "[render][style]") {
  const auto check_notation = [](const std::string& run, const Step& step) {
    if (step.name == "token_ids") return; // made of the learner's own sentence
    for (const char* word : {" of ", " in ", " at ", " each ", " heads ", " where ", " the ", " and ",
                             " too ", " tokens ", " times "}) {
      INFO(run << ": " << step.name << " = " << step.formula);
      CHECK((" " + step.formula + " ").find(word) == std::string::npos);
    }
  };
  for (const LessonCase& one : tutorial_cases())
    for (const Step& step : run_lesson(*one.lesson, one.options).trace.steps) check_notation(one.name, step);
  std::vector<Trace> runs;
  for (const Lesson& lesson : lessons())
    if (lesson.run) runs.push_back(run_lesson(lesson, {}).trace);
  for (const Trace& right : runs) {
    for (const Step& step : right.steps) check_notation(right.lesson, step);
    for (const Mistake& mistake : mistakes()) {
      const WrongRun wrong = run_wrong(right, {&mistake});
      for (const std::string& name : wrong.made)
        if (const Step* step = wrong.trace.find(name)) check_notation(mistake.id, *step);
    }
  }
}

TEST_CASE("colours are escapes only where they are wanted", "[render][style]") {
  Style style;
  CHECK(style.bold("x") == "x");
  style.color = Color::basic;
  CHECK(style.bold("x") == "\x1b[1mx\x1b[0m");
  CHECK(style.dim("x") == "\x1b[2mx\x1b[0m");
  CHECK(style.bad("x") == "\x1b[1;31mx\x1b[0m");
  CHECK(style.good("") == "");
}
