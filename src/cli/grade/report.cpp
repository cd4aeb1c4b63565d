#include "cli/grade/report.hpp"

#include "cli/check/feedback.hpp"
#include "cli/lesson/screen.hpp"
#include "exercise/skeleton.hpp"
#include "text/names.hpp"
#include "words/in_words.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace tfx {

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
          {"message",
           text_or_none(graded.trouble == Graded::Trouble::none ? "" : in_learners_language(graded.message))},
          {"seed", program.seed ? Cell(Count{*program.seed}) : None{}},
          {"cases", std::move(cases)}};
}

// One program on the page.
class ProgramPart {
public:
  ProgramPart(const GradedProgram& program, const Style& style, Report& report)
      : program_(program),
        submission_(program.submission),
        graded_(program.graded),
        grading_(program.graded.grading),
        style_(style),
        report_(report) {}

  void add() {
    for (const GradedCase& one : grading_.cases) add_case(one);
    if (auto trouble = trouble_said(submission_, graded_, program_.limits))
      add_row("program", std::move(*trouble));
    add_printed();
    if (grading_.told && !graded_.pass()) explain();
    add_row("points",
            Sentence{"points",
                     {{"points", std::to_string(grading_.points())}, {"of", std::to_string(grading_.of())}}});
    add_next();
  }

private:
  void add_row(std::string key, Cell cell) {
    report_.add(Row{std::move(key), std::move(cell), {}, std::exchange(is_first_row_, false)});
  }

  void add_rows(std::string key, std::vector<Sentence> said) {
    for (Sentence& one : said) add_row(std::exchange(key, {}), std::move(one));
  }

  // "✗ two sentences at once   weights: 15 of 20 cells are wrong"
  void add_case(const GradedCase& one) {
    Sentence verdict = verdict_said(graded_, one);
    const auto mark = one.pass()                     ? Finding::Mark::good
                      : verdict.key == "not_reached" ? Finding::Mark::unknown
                                                     : Finding::Mark::bad;
    report_.add({mark, {std::move(verdict)}, {}, case_said(*submission_.exercise, one.id)});
  }

  void add_printed() {
    constexpr std::size_t most = 5;
    Verbatim printed{split_lines(graded_.printed)};
    if (printed.lines.back().empty()) printed.lines.pop_back(); // behind the last end of a line
    const std::size_t count = printed.lines.size();
    if (count == 0) return;
    printed.lines.resize(std::min(count, most));
    add_row("printed", std::move(printed));
    if (count > most) add_row("", Sentence{"printed.more", {{"count", std::to_string(count - most)}}});
  }

  void explain() {
    const std::size_t number = *grading_.told;
    const GradedCase& told = grading_.cases[number];
    if (auto cell = first_wrong_said(program_.series[number], told, style_.precision))
      add_row("first",
              Sentence{"in_case",
                       {},
                       {{"case", case_said(*submission_.exercise, told.id)}, {"cell", std::move(*cell)}}});
    Advice advice = advice_on(submission_, grading_, program_.series, style_.precision);
    add_rows("mistake", std::move(advice.mistake));
    add_rows("seen", std::move(advice.seen));
  }

  void add_next() {
    const Lesson* of = lesson_of(*submission_.exercise);
    if (!of) return;
    if (graded_.pass()) {
      const Lesson* after = lesson_after(of->command);
      return add_row("next", after ? "tfx " + after->typed : "tfx");
    }
    if (!grading_.told) return;
    if (const std::vector<std::string> names = steps_to_return(); !names.empty())
      add_row("next", Sentence{"steps", list_in_both("names", names)});
    else if (is_on_page(*submission_.exercise))
      add_row("next", Sentence{"see.mistakes", {{"command", "tfx break " + of->command}}});
    else
      add_row("next", Sentence{"see", {{"command", "tfx " + of->typed}}});
  }

  // Where nothing is named: the steps that the wrong case lacks.
  std::vector<std::string> steps_to_return() const {
    const GradedCase& told = grading_.cases[*grading_.told];
    std::vector<std::string> names;
    if (!told.wrong() || !grading_.diagnosis.suspects.empty() || is_explained(grading_.observations))
      return names;
    for (const Slot& slot : submission_.exercise->stages)
      if (!std::ranges::count(told.tensors, slot.name, &CheckedTensor::name)) names.push_back(slot.name);
    return names;
  }

  const GradedProgram& program_;
  const Submission& submission_;
  const Graded& graded_;
  const Grading& grading_;
  const Style& style_;
  Report& report_;
  bool is_first_row_ = true;
};

// What the words of "page." and this say: "exercise softmax, seed 7".
std::string exercise_key(const GradedProgram& program) {
  return program.seed ? "exercise.seed" : "exercise";
}

Values exercise_values(const GradedProgram& program) {
  Values values{{"exercise", program.submission.exercise->name}};
  if (program.seed) values["seed"] = std::to_string(*program.seed);
  return values;
}

} // namespace

Report grade_report(const std::vector<GradedProgram>& programs, const std::string& typed,
                    const Style& style) {
  Report report{frame_of_command("grade"), {}};
  Screen& frame = report.frame;
  frame.typed = typed;
  const bool is_one = programs.size() == 1;
  report.title = is_one ? Title::spaced : Title::none;
  if (is_one) {
    frame.part = exercise_key(programs[0]);
    report.trace.facts = exercise_values(programs[0]);
  }
  Objects all;
  for (const GradedProgram& program : programs) {
    if (!program.graded.pass()) report.status = 1;
    frame.quoted.merge(quoted_by(program.graded.grading));
    if (!is_one)
      report.add(Heading{"tfx grade " + program.submission.name,
                         Sentence{"page." + exercise_key(program), exercise_values(program)}});
    ProgramPart(program, style, report).add();
    all.push_back({members_of(program, style)});
  }
  if (is_one)
    for (Member& member : all[0].members) report.add(std::move(member));
  else
    report.add(Member{"programs", std::move(all)});
  return report;
}

} // namespace tfx
