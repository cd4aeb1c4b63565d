#include "cli/grade/report.hpp"

#include "cli/check/feedback.hpp"
#include "cli/lesson/screen.hpp"
#include "exercise/skeleton.hpp"
#include "render/paper.hpp"
#include "text/display_width.hpp"
#include "text/utf8.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

namespace tfx {

const char* name_of(Graded::Trouble trouble) {
  using enum Graded::Trouble;
  switch (trouble) {
  case none: return "";
  case hole: return "hole";
  case not_compiled: return "not_compiled";
  case not_linked: return "not_linked";
  case no_program: return "not_started";
  case no_module: return "no_module";
  case crashed: return "crashed";
  case timed_out: return "timed_out";
  case waited: return "timed_out";
  case too_large: return "too_large";
  case too_many: return "too_many";
  case no_return: return "no_return";
  case flooded: return "flooded";
  case no_results: return "no_results";
  case bad_results: return "bad_results";
  }
  return "";
}

namespace {

Object case_object(const GradedProgram& program, std::size_t number, const Style& style) {
  const Grading& grading = program.graded.grading;
  const GradedCase& one = grading.cases[number];
  const CheckedTensor* wrong = one.pass() ? nullptr : one.wrong();
  const bool is_told = number == grading.told;
  Diagnosis diagnosis = is_told ? grading.diagnosis : Diagnosis();
  if (is_told && grading.own_mistakes.size() == 1) diagnosis.confidence = Confidence::sure;
  if (is_told && grading.own_mistakes.size() > 1)
    diagnosis.confidence = Confidence::perhaps, diagnosis.doubt = Doubt::several;
  Object object{{{"name", one.id},
                 {"pass", one.pass()},
                 {"tensor", text_or_none(wrong                 ? wrong->name
                                         : one.missing.empty() ? ""
                                                               : one.missing.front())},
                 mistake_member(is_told ? named(grading) : std::vector<std::string>()),
                 {"convention", text_or_none(one.convention)},
                 {"feedback", feedback_of(program.submission, program.graded, program.series, number,
                                          program.limits, style)},
                 {"points", Count{one.points}},
                 {"of", Count{one.of}}}};
  for (Member& member : suspect_members(diagnosis)) object.members.push_back(std::move(member));
  return object;
}

std::vector<Member> members_of(const GradedProgram& program, const Style& style) {
  const Graded& graded = program.graded;
  Objects cases;
  for (std::size_t i = 0; i < graded.grading.cases.size(); ++i)
    cases.push_back(case_object(program, i, style));
  return {{"exercise", program.submission.exercise->name},
          {"program", program.submission.name},
          {"pass", graded.pass()},
          {"points", Count{graded.grading.points()}},
          {"of", Count{graded.grading.of()}},
          {"trouble", text_or_none(name_of(graded.trouble))},
          {"message", text_or_none(graded.trouble == Graded::Trouble::none ? "" : graded.message)},
          {"seed", program.seed ? Cell(Count{*program.seed}) : None{}},
          {"cases", std::move(cases)}};
}

} // namespace

std::string grade_json(const std::vector<GradedProgram>& programs, const Style& style) {
  Report report{frame_of_command("grade"), {}};
  Objects all;
  for (const GradedProgram& program : programs) all.push_back({members_of(program, style)});
  if (all.size() == 1)
    for (Member& member : all[0].members) report.add(std::move(member));
  else
    report.add(Member{"programs", std::move(all)});
  return render_json(report, common_words());
}

namespace {

class GradeScreen {
public:
  GradeScreen(const GradedProgram& program, const Style& style)
      : program_(program),
        grading_(program.graded.grading),
        style_(style),
        words_(words_in("src/cli/check")),
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
    const std::string name = program_.submission.exercise->name;
    const std::string right =
        program_.seed
            ? in_words("grade.title.seed", {{"name", name}, {"seed", std::to_string(*program_.seed)}})
            : in_words("grade.title", {{"name", name}});
    paper_.title(left, style_.symbols(right));
  }

  // "✗ batch   two sentences at once   weights: 15 of 20 cells differ"
  void case_line(std::size_t number) {
    const GradedCase& one = grading_.cases[number];
    const std::string mark = style_.symbols(one.pass() ? "✓" : one.is_empty() ? "·" : "✗");
    const std::string name = escape_controls(case_name(*program_.submission.exercise, one.id));
    const std::string symbol = (one.pass() ? style_.good(mark) : style_.bad(mark)) + " ";
    constexpr std::size_t usual = 30, apart = 2;
    const std::size_t of_mark = display_width(mark) + 1, width = display_width(style_.symbols(name)) + apart;
    std::size_t column = std::max(std::min(usual, style_.width / 2), width);
    std::string before = symbol + pad_right(style_.symbols(name), column);
    if (of_mark + column > style_.width * 2 / 3) { // no room beside it: the verdict stands below
      std::string start = symbol;
      for (const std::string& line : wrap(style_.symbols(name), style_.width - of_mark))
        paper_.line(std::exchange(start, std::string(of_mark, ' ')) + line);
      column = apart, before = std::string(of_mark + column, ' ');
    }
    for (const std::string& line :
         wrap(style_.symbols(case_words(program_.graded, one)), style_.width - of_mark - column))
      paper_.line(std::exchange(before, std::string(of_mark + column, ' ')) + line);
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
    std::string name = name_of(Row{key, {}}, paper_);
    for (const std::string& line : lines) paper_.row(std::exchange(name, {}), line);
  }

  void explain() {
    if (!grading_.told) return;
    const std::size_t number = *grading_.told;
    const GradedCase& told = grading_.cases[number];
    if (const std::string cell = first_cell_words(program_.series[number], told, style_); !cell.empty())
      paper_.row(name_of(Row{"first", {}}, paper_),
                 in_words("grade.in_case",
                          {{"case", case_name(*program_.submission.exercise, told.id)}, {"cell", cell}}));
    const Advice advice = advice_on(program_.submission, grading_, program_.series, style_);
    rows("mistake", advice.mistake);
    rows("seen", advice.seen);
  }

  void next() {
    const Lesson* of = lesson_of(*program_.submission.exercise);
    if (!of) return;
    if (program_.graded.pass()) {
      const Lesson* after = lesson_after(of->command);
      return paper_.row(paper_.ui("next"), after ? "tfx " + after->typed : "tfx");
    }
    if (!grading_.told) return;
    if (const std::string names = steps_to_return(); !names.empty())
      return paper_.row(paper_.ui("next"), in_words("grade.steps", {{"names", names}}));
    if (is_on_page(*program_.submission.exercise))
      paper_.row(paper_.ui("next"),
                 in_words("grade.look.mistakes", {{"command", "tfx break " + of->command}}));
    else
      paper_.row(paper_.ui("next"), in_words("grade.look", {{"command", "tfx " + of->typed}}));
  }

  // Where nothing is named: the steps that the wrong case lacks.
  std::string steps_to_return() const {
    const GradedCase& told = grading_.cases[*grading_.told];
    if (!told.wrong() || !grading_.diagnosis.suspects.empty() || is_explained(grading_.observations))
      return "";
    std::vector<std::string> names;
    for (const Slot& slot : program_.submission.exercise->stages)
      if (!std::ranges::count(told.tensors, slot.name, &CheckedTensor::name)) names.push_back(slot.name);
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
