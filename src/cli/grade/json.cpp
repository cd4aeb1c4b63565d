#include "cli/grade/report.hpp"

#include "cli/check/json.hpp"
#include "render/json.hpp"

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
  case no_return: return "no_return";
  case flooded: return "flooded";
  case no_results: return "no_results";
  case bad_results: return "bad_results";
  }
  return "";
}

namespace {

void write_case(JsonWriter& json, const GradedProgram& program, std::size_t number, const Style& style) {
  const Grading& grading = program.graded.grading;
  const GradedCase& one = grading.cases[number];
  const CheckedTensor* wrong = one.pass() ? nullptr : one.wrong();
  json.begin_object();
  json.key("name"), json.value(one.id);
  json.key("pass"), json.value(one.pass());
  json.key("tensor"), json.text_or_null(wrong ? wrong->name : one.missing.empty() ? "" : one.missing.front());
  const Diagnosis diagnosis = number == grading.first_wrong ? grading.diagnosis : Diagnosis();
  write_mistake(json, diagnosis);
  json.key("convention"), json.text_or_null(one.convention);
  json.key("feedback");
  json.value(feedback_of(program.submission, program.graded, program.series, number, program.limits, style));
  json.key("points"), json.value(one.points);
  json.key("of"), json.value(one.of);
  write_suspects(json, diagnosis);
  json.end_object();
}

void write_program(JsonWriter& json, const GradedProgram& program, const Style& style) {
  const Graded& graded = program.graded;
  json.key("exercise"), json.value(program.submission.exercise->name);
  json.key("program"), json.value(program.submission.name);
  json.key("pass"), json.value(graded.pass());
  json.key("points"), json.value(graded.grading.points());
  json.key("of"), json.value(graded.grading.of());
  json.key("trouble"), json.text_or_null(name_of(graded.trouble));
  json.key("message"), json.text_or_null(graded.trouble == Graded::Trouble::none ? "" : graded.message);
  json.key("cases");
  json.begin_array();
  for (std::size_t i = 0; i < graded.grading.cases.size(); ++i) write_case(json, program, i, style);
  json.end_array();
}

} // namespace

std::string grade_json(const std::vector<GradedProgram>& programs, const Style& style) {
  JsonWriter json;
  begin_command(json, "grade");
  if (programs.size() == 1) {
    write_program(json, programs[0], style);
  } else {
    json.key("programs");
    json.begin_array();
    for (const GradedProgram& program : programs) {
      json.begin_object();
      write_program(json, program, style);
      json.end_object();
    }
    json.end_array();
  }
  json.end_object();
  return json.take() + "\n";
}

} // namespace tfx
