#include "cli/grade/class.hpp"

#include "cli/check/arrays.hpp"
#include "cli/check/feedback.hpp"
#include "cli/grade/likeness.hpp"
#include "cli/grade/report.hpp"
#include "core/error.hpp"
#include "core/number.hpp"
#include "core/progress.hpp"
#include "exercise/skeleton.hpp"
#include "io/csv.hpp"
#include "io/file.hpp"
#include "io/load.hpp"
#include "lessons/run.hpp"
#include "options/parse.hpp"
#include "text/names.hpp"
#include "text/utf8.hpp"
#include "words/in_words.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

namespace tfx {

namespace {

constexpr const char* endings[] = {".py", ".cpp", ".npz", ".npy", ".csv"};

} // namespace

std::vector<std::string> possible_files(const std::string& folder, const std::string& id) {
  std::vector<std::string> files;
  for (const char* extension : endings)
    files.push_back((std::filesystem::path(folder) / (id + extension)).string());
  return files;
}

namespace {

namespace fs = std::filesystem;

// The learner's language for as long as it lives.
class Speaking {
public:
  explicit Speaking(const std::optional<Language>& language) : before_(tfx::language()) {
    if (language) set_language(*language);
  }
  ~Speaking() { set_language(before_); }
  Speaking(const Speaking&) = delete;
  Speaking& operator=(const Speaking&) = delete;

private:
  Language before_;
};

bool is_program(const std::string& file) {
  return file.ends_with(".py") || file.ends_with(".cpp");
}

std::optional<std::string> handed_in(const std::string& folder, const std::string& id) {
  for (const std::string& path : possible_files(folder, id)) {
    std::error_code error;
    if (fs::exists(fs::symlink_status(path, error))) return path; // a link to nothing too: reading says so
  }
  return std::nullopt;
}

// The name of a file of that student's that ends in no way in which one may: ada.txt, ada.PY, ada. One that
// another student's name fits better is theirs: ada.b.txt is ada.b's.
std::optional<std::string> ends_otherwise(const std::string& folder, const std::string& id,
                                          const std::vector<Student>& students) {
  std::error_code error;
  std::set<std::string> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    const auto fits = [&](const std::string& whose) {
      return name == whose || name.starts_with(whose + ".");
    };
    const bool is_anothers = std::ranges::any_of(
        students, [&](const Student& other) { return other.id.size() > id.size() && fits(other.id); });
    if (fits(id) && !is_anothers) found.insert(name);
  }
  return found.empty() ? std::nullopt : std::optional(*found.begin());
}

// The beginning of what a program printed, on one line. A spreadsheet takes a cell that begins with one of
// these for a formula, unless an apostrophe stands before it.
std::string first_printed(std::string text) {
  constexpr std::size_t longest = 120; // bytes
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  const bool is_cut = text.size() > longest;
  if (is_cut) {
    text.resize(longest);
    // No half of a character at the end.
    if (const auto invalid = first_invalid_byte(text); invalid && *invalid + 4 > longest)
      text.resize(*invalid);
  }
  std::string cell = escape_controls(text) + (is_cut ? " …" : "");
  if (!cell.empty() && std::string("=+-@").find(cell[0]) != std::string::npos) cell.insert(0, "'");
  return cell;
}

std::string right_in_words() {
  return *words_alone("src/cli/check").find("feedback.right");
}

class ClassGrading {
public:
  ClassGrading(const ClassTask& task, const std::vector<Student>& students, const Style& style,
               const StopSignals& signals)
      : task_(task),
        students_(students),
        style_(style),
        signals_(signals),
        lesson_(lesson_of(*task.exercise)),
        names_(lesson_ ? parse_names("", lesson_->result) : std::vector<std::string>{}) {
    // A program with its hole as it was is nobody's work.
    for (const ProgramLanguage language :
         {ProgramLanguage::numpy, ProgramLanguage::torch, ProgramLanguage::cpp})
      skeletons_.insert(likeness_of(skeleton(*task.exercise, language).front().text, language));
    asks_for_programs_ = !lesson_ || std::ranges::any_of(students, [&](const Student& student) {
      const auto file = handed_in(task.folder, student.id);
      return file && is_program(*file);
    });
  }

  void grade(const Student& student) {
    const Speaking speaking(student.language);
    StudentResult result{.id = student.id, .verdict = "missing"};
    const auto file = handed_in(task_.folder, student.id);
    likeness_.clear();
    try {
      if (file) require_plain_file(*file);
      if (!file) {
        say_what_is_missing(student, result);
      } else if (is_program(*file)) {
        grade_program(*file, student, result);
      } else if (!lesson_) {
        result.of = of_programs(), result.verdict = "unreadable";
        result.feedback = in_words("class.program_needed");
      } else {
        grade_arrays(*file, student, result);
      }
    } catch (const Error& error) {
      result.verdict = "unreadable";
      result.feedback = escape_controls(
          as_one_text({in_learners_language(error.message()), in_learners_language(error.hint())}));
      if (result.of == 0) result.of = of_whoever();
    }
    results_.push_back(std::move(result));
    likenesses_.push_back(std::move(likeness_));
  }

  /// Of all that were graded.
  std::vector<StudentResult> results() && {
    for (std::size_t i = 0; i < results_.size(); ++i) results_[i].same_as = same_as(i);
    return std::move(results_);
  }

private:
  void say_what_is_missing(const Student& student, StudentResult& result) {
    result.of = of_whoever();
    result.feedback = in_words("class.missing");
    if (const auto other = ends_otherwise(task_.folder, student.id, students_)) {
      result.verdict = "not_a_program";
      result.feedback = in_words("class.not_a_program",
                                 {{"file", escape_controls(*other)},
                                  {"endings", alternatives({std::begin(endings), std::end(endings)})}});
    }
  }

  // The points of a program.
  std::size_t of_programs() const { return task_.exercise->series.size() * points_of(*task_.exercise); }

  // Of one who handed in nothing that can be read: what the class was asked for.
  std::size_t of_whoever() const { return asks_for_programs_ ? of_programs() : names_.size(); }

  // Those of the student before may be the same.
  const std::vector<Case>& series_for(const std::optional<std::uint32_t>& seed) {
    if (series_.empty() || seed != seed_) series_ = series_of(*task_.exercise, seed), seed_ = seed;
    return series_;
  }

  void grade_program(const std::string& file, const Student& student, StudentResult& result) {
    result.of = of_programs();
    Submission submission = submission_of(file, task_.python, task_.exercise);
    submission.sees_neighbours = false;
    likeness_ = likeness_of(submission.text, submission.language);
    if (skeletons_.contains(likeness_)) likeness_.clear();
    const std::vector<Case>& series = series_for(student.seed);
    const Graded graded = tfx::grade(submission, series, task_.limits, signals_);
    result.points = graded.grading.points();
    result.verdict = graded.pass()                             ? "right"
                     : graded.trouble == Graded::Trouble::none ? "wrong"
                                                               : name_of(graded.trouble);
    result.mistake = join(named(graded.grading), " ");
    result.prints = first_printed(graded.printed);
    if (graded.grading.told)
      result.feedback = feedback_of(submission, graded, series, *graded.grading.told, task_.limits, style_);
    else
      result.feedback = right_in_words();
  }

  // Computed once a seed: whoever's array is wrong is looked for among all of them.
  const Trace& run_with(std::uint32_t seed) {
    if (const auto found = runs_.find(seed); found != runs_.end()) return found->second;
    InputOptions options = task_.input;
    options.seed = seed;
    return runs_.emplace(seed, run_lesson(*lesson_, options, RunFor::values).trace).first->second;
  }

  void grade_arrays(const std::string& file, const Student& student, StudentResult& result) {
    result.of = names_.size();
    if (!student.seed) {
      result.verdict = "no_seed", result.feedback = in_words("class.no_seed");
      return;
    }
    const Trace& right = run_with(*student.seed);
    const FileArrays arrays = arrays_in(load_content(file), file, std::nullopt, right);
    likeness_ = likeness_of(arrays.arrays);
    if (is_saved(arrays, right)) {
      result.verdict = "saved", result.feedback = in_words("class.saved");
      return;
    }
    const CheckReport report = check_arrays(right, arrays.arrays);
    for (const CheckedTensor& one : report.tensors)
      result.points += one.difference.equal() && std::ranges::count(names_, one.name) > 0;
    if (result.points == result.of) {
      result.verdict = "right", result.feedback = right_in_words();
      return;
    }
    result.verdict = "wrong";
    if (report.equal()) return require_answer(names_, arrays, file, *lesson_, right); // what it lacks
    if (const Student* other = whose(arrays, student)) {
      result.points = 0, result.verdict = "other_seed";
      result.feedback =
          in_words("class.other_seed", {{"id", other->id}, {"seed", std::to_string(*other->seed)}});
      return;
    }
    explain(report, right, result);
  }

  // What --save writes: every tensor of the run under its name, to the last bit. Nobody computes all of it by
  // hand, in that order.
  static bool is_saved(const FileArrays& file, const Trace& right) {
    return file.unknown.empty() &&
           std::ranges::equal(file.arrays, right.steps, [](const HandedIn& own, const Step& step) {
             return own.tensor == step.name && own.array.values.shape == step.value.shape &&
                    own.array.values.data == step.value.data;
           });
  }

  void explain(const CheckReport& report, const Trace& right, StudentResult& result) const {
    result.feedback = feedback_of(report, right, style_);
    result.mistake = join(named(report.diagnosis), " ");
  }

  // Another student whose right result this is.
  const Student* whose(const FileArrays& arrays, const Student& student) {
    for (const Student& other : students_) {
      if (!other.seed || other.seed == student.seed) continue;
      const Trace& right = run_with(*other.seed);
      const bool all = std::ranges::all_of(arrays.arrays, [&](const HandedIn& own) {
        const Tolerance tolerance = tolerance_of(own.array.dtype);
        return !right.has(own.tensor) || compared(own, right[own.tensor], tolerance).difference.equal();
      });
      if (all) return &other;
    }
    return nullptr;
  }

  // The first student in the roster whose hand-in is the same. Whose array is right for another student's
  // seed has it from there, wherever that student stands, who is like nobody for it.
  std::string same_as(std::size_t number) const {
    const auto is_anothers = [&](std::size_t i) { return results_[i].verdict == "other_seed"; };
    if (likenesses_[number].empty()) return "";
    for (std::size_t i = 0; i < (is_anothers(number) ? results_.size() : number); ++i)
      if (i != number && likenesses_[i] == likenesses_[number] && !is_anothers(i)) return results_[i].id;
    return "";
  }

  const ClassTask& task_;
  const std::vector<Student>& students_;
  const Style& style_;
  const StopSignals& signals_;
  const Lesson* lesson_;                 ///< none of a teacher's own exercise
  const std::vector<std::string> names_; ///< of what arrays have to hold
  std::set<std::string> skeletons_;      ///< what they are like
  std::map<std::uint32_t, Trace> runs_;
  std::optional<std::uint32_t> seed_;
  std::vector<Case> series_;       ///< drawn with that seed
  bool asks_for_programs_ = false; ///< whether anybody handed in a program
  std::string likeness_;           ///< of what is being graded; empty where it is like nobody's
  std::vector<StudentResult> results_;
  std::vector<std::string> likenesses_;
};

} // namespace

std::vector<StudentResult> grade_class(const ClassTask& task, const std::vector<Student>& students,
                                       const Style& style, const StopSignals& signals) {
  ClassGrading grading(task, students, style, signals);
  std::size_t number = 0;
  for (const Student& student : students) {
    tell_progress(student.id, {++number, students.size()});
    grading.grade(student);
    if (signals.caught()) break;
  }
  return std::move(grading).results();
}

namespace {

// To three digits; 1 is for those alone who have all points.
std::string share_of(const StudentResult& one) {
  if (one.points == one.of) return one.of == 0 ? "0" : "1";
  const double thousandths = 1000.0 * static_cast<double>(one.points) / static_cast<double>(one.of);
  return format_number(std::min(std::round(thousandths), 999.0) / 1000, 3);
}

} // namespace

std::string class_table(const std::vector<StudentResult>& results) {
  std::string table = "id,points,of,verdict,mistake,feedback,share,same_as,prints\n";
  for (const StudentResult& one : results)
    table += csv_cell(one.id) + "," + std::to_string(one.points) + "," + std::to_string(one.of) + "," +
             one.verdict + "," + csv_cell(one.mistake) + "," + csv_cell(one.feedback) + "," + share_of(one) +
             "," + csv_cell(one.same_as) + "," + csv_cell(one.prints) + "\n";
  return table;
}

} // namespace tfx
