#include "cli/grade/report.hpp"

#include "cli/check/verdict.hpp"
#include "exercise/skeleton.hpp"
#include "render/paper.hpp"
#include "text/display_width.hpp"
#include "text/utf8.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

namespace tfx {

namespace {

class GradeScreen {
public:
  GradeScreen(const GradedProgram& program, const Style& style)
      : program_(program),
        grading_(program.graded.grading),
        style_(style),
        words_(common_words()),
        paper_(nothing_, words_, style_) {}

  std::string text() {
    title();
    for (std::size_t i = 0; i < grading_.cases.size(); ++i) case_line(i);
    paper_.line();
    if (const std::string trouble = trouble_words(program_.submission, program_.graded, program_.limits);
        !trouble.empty())
      paper_.row(in_words("grade.row.program"), trouble);
    printed();
    if (!program_.graded.pass()) explain();
    paper_.row(in_words("grade.row.points"),
               in_words("grade.points", {{"points", std::to_string(grading_.points())},
                                         {"of", std::to_string(grading_.of())}}));
    next();
    return paper_.take();
  }

private:
  void title() {
    const std::string left = "tfx grade " + escape_controls(program_.submission.name);
    const std::string right =
        style_.symbols(in_words("grade.title", {{"name", program_.submission.exercise->name}}));
    paper_.title(left, right);
  }

  // "✗ batch   two sentences at once   weights: 15 of 20 cells differ"
  void case_line(std::size_t number) {
    const GradedCase& one = grading_.cases[number];
    const std::string mark = style_.symbols(one.pass() ? "✓" : one.is_empty() ? "·" : "✗");
    const std::string name = escape_controls(case_name(*program_.submission.exercise, one.id));
    constexpr std::size_t most = 30;
    const std::size_t column =
        std::max(std::min(most, style_.width / 2), display_width(style_.symbols(name)) + 1);
    std::string before =
        (one.pass() ? style_.good(mark) : style_.bad(mark)) + " " + pad_right(style_.symbols(name), column);
    const std::size_t hang = display_width(mark) + 1 + column;
    for (const std::string& line :
         wrap(style_.symbols(case_words(program_.graded, one)), style_.width - hang)) {
      paper_.line(before + line);
      before = std::string(hang, ' ');
    }
  }

  void printed() {
    if (program_.graded.printed.empty()) return;
    constexpr std::size_t max_lines = 5;
    std::istringstream lines(program_.graded.printed);
    std::string name = in_words("grade.row.printed"), line;
    std::size_t count = 0;
    while (std::getline(lines, line))
      if (++count <= max_lines)
        paper_.line(pad_right(std::exchange(name, {}), Paper::margin) +
                    style_.shortened(escape_controls(line), style_.width - Paper::margin));
    if (count > max_lines)
      paper_.row("", in_words("grade.printed.more", {{"count", std::to_string(count - max_lines)}}));
  }

  void rows(const std::string& key, const std::vector<std::string>& lines) {
    std::string name = in_words(key);
    for (const std::string& line : lines) paper_.row(std::exchange(name, {}), line);
  }

  void explain() {
    if (!grading_.first_wrong) return;
    const std::size_t number = *grading_.first_wrong;
    const GradedCase& first = grading_.cases[number];
    if (const std::string cell = first_cell_words(program_.series[number], first, style_); !cell.empty())
      paper_.row(in_words("check.row.first"),
                 in_words("grade.in_case",
                          {{"case", case_name(*program_.submission.exercise, first.id)}, {"cell", cell}}));
    const Advice advice = advice_on(program_.submission, grading_, program_.series, style_);
    rows("check.row.mistake", advice.mistake);
    rows("check.row.seen", advice.seen);
  }

  void next() {
    const Lesson* of = lesson_of(*program_.submission.exercise);
    if (!of) return;
    if (program_.graded.pass()) {
      const Lesson* after = lesson_after(of->command);
      return paper_.row(paper_.ui("next"), after ? "tfx " + after->typed : "tfx");
    }
    if (!grading_.first_wrong) return;
    const std::string lesson = "tfx " + of->typed;
    const Case& one = program_.series[*grading_.first_wrong];
    const CheckedTensor* wrong = grading_.cases[*grading_.first_wrong].wrong();
    if (const std::string names = steps_to_return(); !names.empty())
      return paper_.row(paper_.ui("next"), in_words("grade.steps", {{"names", names}}));
    // The lesson on this very input, where it is no secret and options make it.
    if (wrong && one.rule->is_shown && !one.rule->change)
      paper_.row(paper_.ui("next"), in_words("grade.look", {{"command", lesson + " " + one.rule->typed}}));
    else
      paper_.row(paper_.ui("next"), in_words("grade.look", {{"command", lesson}}));
  }

  // Where nothing is named: the steps that the first wrong case lacks.
  std::string steps_to_return() const {
    const GradedCase& first = grading_.cases[*grading_.first_wrong];
    if (!first.wrong() || !grading_.diagnosis.suspects.empty() || is_explained(grading_.observations))
      return "";
    std::vector<std::string> names;
    for (const Slot& slot : program_.submission.exercise->stages)
      if (!std::ranges::count(first.tensors, slot.name, &CheckedTensor::name)) names.push_back(slot.name);
    return listed(names);
  }

  const GradedProgram& program_;
  const Grading& grading_;
  const Style& style_;
  const Words words_;
  const Trace nothing_;
  Paper paper_;
};

} // namespace

std::string grade_screen(const GradedProgram& program, const Style& style) {
  return GradeScreen(program, style).text();
}

} // namespace tfx
