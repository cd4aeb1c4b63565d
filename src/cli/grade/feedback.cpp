#include "cli/grade/feedback.hpp"

#include "cli/check/feedback.hpp"
#include "core/number.hpp"
#include "exercise/skeleton.hpp"
#include "render/style.hpp"
#include "text/names.hpp"
#include "text/utf8.hpp"
#include "trace/trace.hpp"
#include "words/in_words.hpp"

#include <algorithm>
#include <set>

namespace tfx {

namespace {

using Trouble = Graded::Trouble;

const char* key_of(Trouble trouble) {
  switch (trouble) {
  case Trouble::none: return "";
  case Trouble::hole: return "grade.hole";
  case Trouble::not_compiled: return "grade.not_compiled";
  case Trouble::not_linked: return "grade.not_linked";
  case Trouble::no_program: return "grade.not_started";
  case Trouble::no_module: return "grade.no_module";
  case Trouble::crashed: return "grade.crashed";
  case Trouble::timed_out: return "grade.timed_out";
  case Trouble::waited: return "grade.waited";
  case Trouble::too_large: return "grade.too_large";
  case Trouble::too_many: return "grade.too_many";
  case Trouble::no_return: return "grade.no_return";
  case Trouble::flooded: return "grade.flooded";
  case Trouble::no_results: return "grade.no_results";
  case Trouble::bad_results: return "grade.bad_results";
  }
  return "";
}

// The first case without results, where the program got as far as to run.
bool is_where_it_stopped(const Graded& graded, const GradedCase& one) {
  using enum Graded::Trouble;
  const std::set<Trouble> ran_first{crashed, timed_out, waited, too_large, too_many, no_return, flooded};
  const bool ran = ran_first.contains(graded.trouble);
  const auto first = std::ranges::find_if(graded.grading.cases, &GradedCase::is_empty);
  return ran && first != graded.grading.cases.end() && &*first == &one;
}

// What a whole model said, beside the verdict.
std::string with_said(const std::string& verdict, const GradedCase& one) {
  return one.said.empty()
             ? verdict
             : in_words("grade.said", {{"verdict", verdict}, {"text", escape_controls(one.said)}});
}

// The function whose hole is still there: what Python or C++ says behind the colon.
std::string hole_of(const Graded& graded, const Exercise& exercise) {
  const std::size_t colon = graded.message.rfind(": ");
  return colon == std::string::npos ? exercise.name : escape_controls(graded.message.substr(colon + 2));
}

// The compiler's words on #include <armadillo>.
bool lacks_armadillo(const std::string& message) {
  return message.find("armadillo") != std::string::npos &&
         (message.find("No such file") != std::string::npos ||
          message.find("not found") != std::string::npos);
}

} // namespace

std::string trouble_words(const Submission& submission, const Graded& graded, const ProgramLimits& limits) {
  if (graded.trouble == Trouble::none) return "";
  constexpr std::size_t longest = 300;
  std::string message = escape_controls(graded.message);
  if (message.size() > longest) message = escape_controls(graded.message.substr(0, longest)) + " …";
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(limits.time).count();
  const std::string key = graded.trouble == Trouble::no_return && !message.empty() ? "grade.no_dict"
                          : graded.trouble == Trouble::not_compiled && lacks_armadillo(message)
                              ? "grade.no_armadillo"
                              : key_of(graded.trouble);
  std::vector<std::string> results;
  for (const Slot& slot : submission.exercise->results) results.push_back(slot.name + "=…");
  return in_words(
      key, {{"message", message},
            {"name", hole_of(graded, *submission.exercise)},
            {"exercise", submission.exercise->name},
            {"program", submission.command.empty() ? "" : escape_controls(submission.command[0])},
            {"seconds", std::to_string(seconds)},
            {"wait", std::to_string(std::chrono::duration_cast<std::chrono::seconds>(limits.wait()).count())},
            {"memory", format_bytes(static_cast<double>(limits.memory))},
            {"processes", std::to_string(limits.processes)},
            {"results", join(results)},
            {"size", format_bytes(static_cast<double>(limits.printed))}});
}

namespace {

// A name of the learner's own may be the one that is missing, misspelt.
std::string missing_words(const GradedCase& one) {
  for (const std::string& missing : one.missing)
    for (const std::string& own : one.unknown)
      if (nearest(own, {missing}))
        return in_words("grade.misspelt", {{"name", missing}, {"own", escape_controls(own)}});
  return in_words("grade.missing", {{"names", listed(one.missing)}});
}

} // namespace

std::string case_words(const Graded& graded, const GradedCase& one) {
  if (one.pass())
    return with_said(one.convention.empty() ? in_words("grade.right")
                                            : in_words("grade.convention", {{"name", one.convention}}),
                     one);
  if (one.is_empty())
    return in_words(graded.trouble == Trouble::none    ? "grade.nothing"
                    : is_where_it_stopped(graded, one) ? "grade.stopped"
                                                       : "grade.not_reached");
  const CheckedTensor* wrong = one.wrong();
  if (!wrong) return missing_words(one);
  const Difference& d = wrong->difference;
  if (!d.same_shape)
    return in_words("grade.shape", {{"name", wrong->name}, {"yours", to_string(wrong->yours.shape)}});
  return with_said(in_words("grade.differs", {{"name", wrong->name},
                                              {"different", with_separators(d.different)},
                                              {"cells", with_separators(d.cells)}}),
                   one);
}

std::string first_cell_words(const Case& one, const GradedCase& graded, const Style& style) {
  const CheckedTensor* wrong = graded.wrong();
  if (!wrong) return "";
  const Step& step = *one.run.find(wrong->name);
  if (!wrong->difference.same_shape)
    return in_words("grade.shape_wanted", {{"name", wrong->name}, {"shape", to_string(step.value.shape)}});
  const Sentence said =
      first_cell_said(cell_name(step, wrong->difference.first), wrong->difference.yours, style.precision);
  return lines_of({said}, {}, one.run, style).front();
}

Advice advice_on(const Submission& submission, const Grading& grading, const std::vector<Case>& series,
                 const Style& style) {
  if (!grading.told) return {};
  const CheckedTensor* wrong = grading.cases[*grading.told].wrong();
  if (!wrong) return {};
  const Trace& right = series[*grading.told].run;
  const std::vector<std::string> seen =
      lines_of(seen_said(grading.observations, wrong->name, style.precision), {}, right, style);
  if (!grading.own_mistakes.empty()) {
    Advice advice{{}, seen};
    for (const std::string& id : grading.own_mistakes)
      std::ranges::move(own_mistake_words(*submission.exercise, id), std::back_inserter(advice.mistake));
    return advice;
  }
  Diagnosis diagnosis = grading.diagnosis;
  if (diagnosis.doubt == Doubt::other_cases)
    for (auto* ids : {&diagnosis.fits, &diagnosis.contradicts})
      for (std::string& id : *ids) id = case_name(*submission.exercise, id);
  std::vector<Sentence> said = mistakes_said(diagnosis, wrong->name, right, submission.language);
  if (said.empty() && !is_explained(grading.observations)) said.push_back({"none"});
  return {lines_of(said, diagnosis, right, style), seen};
}

std::string feedback_of(const Submission& submission, const Graded& graded, const std::vector<Case>& series,
                        std::size_t number, const ProgramLimits& limits, const Style& style) {
  const GradedCase& one = graded.grading.cases[number];
  std::vector<std::string> parts{case_words(graded, one)};
  if (number == graded.grading.told) {
    if (const std::string cell = first_cell_words(series[number], one, style); !cell.empty())
      parts.push_back(cell);
    const Advice advice = advice_on(submission, graded.grading, series, style);
    parts.insert(parts.end(), advice.mistake.begin(), advice.mistake.end());
    parts.insert(parts.end(), advice.seen.begin(), advice.seen.end());
    if (graded.trouble != Trouble::none) parts.push_back(trouble_words(submission, graded, limits));
  }
  return as_one_text(parts);
}

} // namespace tfx
