#include "cli/grade/feedback.hpp"

#include "cli/check/feedback.hpp"
#include "core/number.hpp"
#include "exercise/own_exercise.hpp"
#include "render/style.hpp"
#include "text/names.hpp"
#include "text/utf8.hpp"
#include "trace/trace.hpp"
#include "words/in_words.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

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

// The first case without results, where the program got as far as to run.
bool is_where_it_stopped(const Graded& graded, const GradedCase& one) {
  using enum Graded::Trouble;
  const std::set ran_first{crashed, timed_out, waited, too_large, too_many, no_return, flooded};
  const bool ran = ran_first.contains(graded.trouble);
  const auto first = std::ranges::find_if(graded.grading.cases, &GradedCase::is_empty);
  return ran && first != graded.grading.cases.end() && &*first == &one;
}

// What a whole model said, beside the verdict.
Sentence with_said(Sentence verdict, const GradedCase& one) {
  if (one.said.empty()) return verdict;
  return {"said", {{"text", one.said}}, {{"verdict", std::move(verdict)}}};
}

// The function whose hole is still there: what Python or C++ says behind the colon.
std::string hole_of(const Graded& graded, const Exercise& exercise) {
  const std::string message = graded.message.in_english();
  const std::size_t colon = message.rfind(": ");
  return colon == std::string::npos ? exercise.name : message.substr(colon + 2);
}

// The compiler's words on #include <armadillo>.
bool lacks_armadillo(const std::string& message) {
  return message.find("armadillo") != std::string::npos &&
         (message.find("No such file") != std::string::npos ||
          message.find("not found") != std::string::npos);
}

std::string shortened(const std::string& message) {
  constexpr std::size_t longest = 300;
  return escape_controls(message).size() > longest ? message.substr(0, longest) + " …" : message;
}

} // namespace

std::string case_name(const Exercise& exercise, const std::string& id, Language language) {
  if (!exercise.own) return *words_alone("src/cli/grade", language).find("case." + id);
  const std::string* name = exercise.own->words(language).find("case." + id);
  return name ? *name : id;
}

Sentence case_said(const Exercise& exercise, const std::string& id) {
  return {"case",
          {{"case_en", case_name(exercise, id, Language::en)},
           {"case_zh", case_name(exercise, id, Language::zh)}}};
}

std::optional<Sentence> trouble_said(const Submission& submission, const Graded& graded,
                                     const ProgramLimits& limits) {
  using enum Graded::Trouble;
  if (graded.trouble == none) return std::nullopt;
  const std::string message = graded.message.in_english();
  const auto in_seconds = [](std::chrono::milliseconds time) {
    return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(time).count());
  };
  const std::string key = graded.trouble == no_return && !message.empty()              ? "no_dict"
                          : graded.trouble == not_compiled && lacks_armadillo(message) ? "no_armadillo"
                          : graded.trouble == waited                                   ? "waited"
                                                     : name_of(graded.trouble);
  std::vector<std::string> results;
  for (const Slot& slot : submission.exercise->results) results.push_back(slot.name + "=…");
  return Sentence{key,
                  {{"message_en", shortened(message)},
                   {"message_zh", shortened(in_chinese(graded.message))},
                   {"name", hole_of(graded, *submission.exercise)},
                   {"exercise", submission.exercise->name},
                   {"program", submission.command.empty() ? "" : submission.command[0]},
                   {"seconds", in_seconds(limits.time)},
                   {"wait", in_seconds(limits.wait())},
                   {"memory", format_bytes(static_cast<double>(limits.memory))},
                   {"processes", std::to_string(limits.processes)},
                   {"results", join(results)},
                   {"size", format_bytes(static_cast<double>(limits.printed))}}};
}

namespace {

// A name of the learner's own may be the one that is missing, misspelt.
Sentence missing_said(const GradedCase& one) {
  for (const std::string& missing : one.missing)
    for (const std::string& own : one.unknown)
      if (nearest(own, {missing})) return {"misspelt", {{"name", missing}, {"own", own}}};
  return {"missing", list_in_both("names", one.missing)};
}

} // namespace

Sentence verdict_said(const Graded& graded, const GradedCase& one) {
  if (one.pass())
    return with_said(one.convention.empty() ? Sentence{"feedback.right"}
                                            : Sentence{"convention", {{"name", one.convention}}},
                     one);
  if (one.is_empty())
    return {graded.trouble == Graded::Trouble::none ? "nothing"
            : is_where_it_stopped(graded, one)      ? "stopped"
                                                    : "not_reached"};
  const CheckedTensor* wrong = one.wrong();
  if (!wrong) return missing_said(one);
  Sentence differs = differs_said(*wrong);
  return wrong->difference.same_shape ? with_said(std::move(differs), one) : differs;
}

std::optional<Sentence> first_wrong_said(const Case& one, const GradedCase& graded, int precision) {
  const CheckedTensor* wrong = graded.wrong();
  if (!wrong) return std::nullopt;
  const Step& step = *one.run.find(wrong->name);
  if (!wrong->difference.same_shape)
    return Sentence{"shape_wanted", {{"name", wrong->name}, {"shape", to_string(step.value.shape)}}};
  return first_cell_said(cell_name(step, wrong->difference.first), wrong->difference.yours, precision);
}

std::vector<Sentence> own_mistake_said(const Exercise& exercise, const std::string& id) {
  Values name, more;
  for (const auto& [key, language] : {std::pair("lines_en", Language::en), {"lines_zh", Language::zh}}) {
    std::vector<std::string> lines = split_lines(*exercise.own->words(language).find("wrong." + id));
    name[key] = lines.front();
    lines.erase(lines.begin());
    more[key] = std::move(lines);
  }
  return {{"own_mistake", std::move(name)}, {"own_mistake", std::move(more)}};
}

namespace {

// The names of cases in place of their ids.
void name_cases(const Exercise& exercise, const std::string& name, const std::vector<std::string>& ids,
                Values& values) {
  for (const auto& [ending, language] : {std::pair("_en", Language::en), std::pair("_zh", Language::zh)}) {
    std::vector<std::string> names;
    for (const std::string& id : ids) names.push_back(case_name(exercise, id, language));
    values[name + ending] = listed(names, language);
  }
}

// Another program of the same report has other facts of those names.
void add_facts(std::vector<Sentence>& said, const std::map<std::string, Fact>& facts) {
  for (Sentence& sentence : said) sentence.values.insert(facts.begin(), facts.end());
}

} // namespace

Advice advice_on(const Submission& submission, const Grading& grading, const std::vector<Case>& series,
                 int precision) {
  if (!grading.told) return {};
  const CheckedTensor* wrong = grading.cases[*grading.told].wrong();
  if (!wrong) return {};
  const Exercise& exercise = *submission.exercise;
  const Trace& right = series[*grading.told].run;
  const Diagnosis& diagnosis = grading.diagnosis;
  Advice advice{{}, seen_said(grading.observations, wrong->name, precision)};
  if (!grading.own_mistakes.empty()) {
    for (const std::string& id : grading.own_mistakes)
      std::ranges::move(own_mistake_said(exercise, id), std::back_inserter(advice.mistake));
  } else {
    advice.mistake = mistakes_said(diagnosis, wrong->name, right, submission.language);
    if (!advice.mistake.empty() && diagnosis.doubt == Doubt::other_cases) {
      name_cases(exercise, "fits", diagnosis.fits, advice.mistake[0].values);
      name_cases(exercise, "contradicts", diagnosis.contradicts, advice.mistake[0].values);
    }
    if (advice.mistake.empty() && !is_explained(grading.observations)) advice.mistake.push_back({"none"});
  }
  add_facts(advice.mistake, right.facts);
  add_facts(advice.seen, right.facts);
  return advice;
}

std::set<std::string> quoted_by(const Grading& grading) {
  std::set<std::string> folders = folders_of(grading.diagnosis);
  folders.insert("src/cli/check");
  return folders;
}

std::string feedback_of(const Submission& submission, const Graded& graded, const std::vector<Case>& series,
                        std::size_t number, const ProgramLimits& limits, const Style& style) {
  const Grading& grading = graded.grading;
  std::vector<Sentence> said{verdict_said(graded, grading.cases[number])};
  if (number == grading.told) {
    if (auto first = first_wrong_said(series[number], grading.cases[number], style.precision))
      said.push_back(std::move(*first));
    Advice advice = advice_on(submission, grading, series, style.precision);
    std::ranges::move(advice.mistake, std::back_inserter(said));
    std::ranges::move(advice.seen, std::back_inserter(said));
    if (auto trouble = trouble_said(submission, graded, limits)) said.push_back(std::move(*trouble));
  }
  const Words words = words_quoting("src/cli/grade", quoted_by(grading));
  std::vector<std::string> lines;
  for (const std::string& text : lines_of(said, words, series[number].run, style))
    std::ranges::move(split_lines(text), std::back_inserter(lines));
  return as_one_text(lines);
}

} // namespace tfx
