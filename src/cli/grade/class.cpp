#include "cli/grade/class.hpp"

#include "cli/check/arrays.hpp"
#include "cli/check/feedback.hpp"
#include "cli/grade/report.hpp"
#include "core/error.hpp"
#include "core/number.hpp"
#include "core/progress.hpp"
#include "exercise/skeleton.hpp"
#include "io/csv.hpp"
#include "io/load.hpp"
#include "lessons/run.hpp"
#include "options/parse.hpp"
#include "text/names.hpp"
#include "text/utf8.hpp"
#include "words/in_words.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>

namespace tfx {

namespace {

[[noreturn]] void refuse(const std::string& file, std::size_t line, const std::string& key,
                         const std::string& cell) {
  const std::map<std::string, std::string> values = {
      {"file", escape_controls(file)}, {"line", std::to_string(line)}, {"cell", escape_controls(cell)}};
  throw Error(ErrorKind::bad_data, Message::given(in_words(key, values)),
              Message::given(in_words("roster.hint")));
}

std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells{""};
  for (const char c : line)
    if (c == ',')
      cells.emplace_back();
    else if (c != '\r')
      cells.back() += c;
  for (std::string& cell : cells) {
    const std::size_t first = cell.find_first_not_of(" \t\"");
    cell = first == std::string::npos ? "" : cell.substr(first, cell.find_last_not_of(" \t\"") - first + 1);
  }
  return cells;
}

bool is_plain_name(const std::string& id) {
  return !id.empty() && id.front() != '.' && id.front() != '-' &&
         id.find_first_of("/\\\"") == std::string::npos && escape_controls(id) == id;
}

bool is_header(const std::vector<std::string>& cells) {
  return cells.size() >= 2 && cells[0] == "id" && cells[1] == "seed";
}

std::optional<std::uint32_t> seed_in(const std::string& cell) {
  const bool digits = !cell.empty() && cell.size() <= 10 &&
                      std::ranges::all_of(cell, [](char c) { return c >= '0' && c <= '9'; });
  const std::uint64_t seed = digits ? std::stoull(cell) : std::numeric_limits<std::uint64_t>::max();
  if (seed > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  return static_cast<std::uint32_t>(seed);
}

} // namespace

std::vector<Student> parse_roster(std::string_view text, const std::string& file) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  std::vector<Student> students;
  std::size_t number = 0;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::vector<std::string> cells = cells_of(text.substr(start, end - start));
    start = end + 1, ++number;
    if ((cells.size() == 1 && cells[0].empty()) || (students.empty() && is_header(cells))) continue;
    if (!is_plain_name(cells[0])) refuse(file, number, "roster.id", cells[0]);
    if (std::ranges::count(students, cells[0], &Student::id)) refuse(file, number, "roster.twice", cells[0]);
    const auto seed = seed_in(cells.size() > 1 ? cells[1] : "");
    if (!seed) refuse(file, number, "roster.seed", cells.size() > 1 ? cells[1] : "");
    Student& student = students.emplace_back(Student{cells[0], *seed, {}});
    if (cells.size() < 3 || cells[2].empty()) continue;
    if (cells[2] != "en" && cells[2] != "zh") refuse(file, number, "roster.language", cells[2]);
    student.language = cells[2] == "zh" ? Language::zh : Language::en;
  }
  if (students.empty()) refuse(file, std::max<std::size_t>(number, 1), "roster.empty", "");
  return students;
}

std::vector<std::string> possible_files(const std::string& folder, const std::string& id) {
  std::vector<std::string> files;
  for (const char* extension : {".py", ".cpp", ".npz", ".npy", ".csv"})
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

std::optional<std::string> handed_in(const std::string& folder, const std::string& id) {
  for (const std::string& path : possible_files(folder, id)) {
    std::error_code error;
    if (fs::exists(fs::status(path, error))) return path;
  }
  return std::nullopt;
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
        names_(lesson_ ? parse_names("", lesson_->result) : std::vector<std::string>{}) {}

  StudentResult of(const Student& student) {
    const Speaking speaking(student.language);
    StudentResult result{student.id, 0, 0, "missing", "", ""};
    const auto file = handed_in(task_.folder, student.id);
    try {
      if (file) require_plain_file(*file);
      if (!file) {
        result.of = programs_ || !lesson_ ? of_programs() : names_.size();
        result.feedback = in_words("class.missing");
      } else if (file->ends_with(".py") || file->ends_with(".cpp")) {
        grade_program(*file, result);
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
      if (result.of == 0) result.of = lesson_ ? names_.size() : of_programs();
    }
    return result;
  }

private:
  // The points of a program.
  std::size_t of_programs() {
    if (series_.empty()) series_ = series_of(*task_.exercise);
    return programs_ = series_.size() * points_of(*task_.exercise);
  }

  void grade_program(const std::string& file, StudentResult& result) {
    result.of = of_programs();
    const Submission submission = submission_of(file, task_.python, task_.exercise);
    const Graded graded = grade(submission, series_, task_.limits, signals_);
    result.points = graded.grading.points();
    result.verdict = graded.pass()                             ? "right"
                     : graded.trouble == Graded::Trouble::none ? "wrong"
                                                               : name_of(graded.trouble);
    result.mistake = join(named(graded.grading.diagnosis), " ");
    if (graded.grading.first_wrong)
      result.feedback =
          feedback_of(submission, graded, series_, *graded.grading.first_wrong, task_.limits, style_);
    else
      result.feedback = in_words("grade.right");
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
    const Trace& right = run_with(student.seed);
    const FileArrays arrays = arrays_in(load_content(file), file, std::nullopt, right);
    if (is_saved(arrays, right)) {
      result.verdict = "saved", result.feedback = in_words("class.saved");
      return;
    }
    const CheckReport report = check_arrays(right, arrays.arrays);
    for (const CheckedTensor& one : report.tensors)
      result.points += one.difference.equal() && std::ranges::count(names_, one.name) > 0;
    if (result.points == result.of) {
      result.verdict = "right", result.feedback = in_words("grade.right");
      return;
    }
    result.verdict = "wrong";
    if (report.equal()) return require_answer(names_, arrays, file, *lesson_, right); // what it lacks
    if (const Student* other = whose(arrays, student)) {
      result.points = 0, result.verdict = "other_seed";
      result.feedback =
          in_words("class.other_seed", {{"id", other->id}, {"seed", std::to_string(other->seed)}});
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
      if (other.seed == student.seed) continue;
      const Trace& right = run_with(other.seed);
      const bool all = std::ranges::all_of(arrays.arrays, [&](const HandedIn& own) {
        const Tolerance tolerance = tolerance_of(own.array.dtype);
        return !right.has(own.tensor) || compared(own, right[own.tensor], tolerance).difference.equal();
      });
      if (all) return &other;
    }
    return nullptr;
  }

  const ClassTask& task_;
  const std::vector<Student>& students_;
  const Style& style_;
  const StopSignals& signals_;
  const Lesson* lesson_;                 ///< none of a teacher's own exercise
  const std::vector<std::string> names_; ///< of what arrays have to hold
  std::map<std::uint32_t, Trace> runs_;
  std::vector<Case> series_;
  std::size_t programs_ = 0; ///< the points of a program, once one was graded
};

} // namespace

std::vector<StudentResult> grade_class(const ClassTask& task, const std::vector<Student>& students,
                                       const Style& style, const StopSignals& signals) {
  ClassGrading grading(task, students, style, signals);
  std::vector<StudentResult> results;
  for (const Student& student : students) {
    tell_progress(student.id, {results.size() + 1, students.size()});
    results.push_back(grading.of(student));
    if (signals.caught()) break;
  }
  return results;
}

std::string class_table(const std::vector<StudentResult>& results) {
  std::string table = "id,points,of,verdict,mistake,feedback\n";
  for (const StudentResult& one : results)
    table += csv_cell(one.id) + "," + std::to_string(one.points) + "," + std::to_string(one.of) + "," +
             one.verdict + "," + csv_cell(one.mistake) + "," + csv_cell(one.feedback) + "\n";
  return table;
}

} // namespace tfx
