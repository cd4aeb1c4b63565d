#pragma once
// Running a lesson: its input from the options, its trace, and the comparison with NumPy's run where one is
// shipped, which was checked against PyTorch (tools/reference/make_lessons.py). A tensor of that run is there
// in one of three ways: whole, as a SHA-256 of its float64 numbers, or as a sample of cells with the sums of
// all rows.

#include "input/options.hpp"
#include "io/npz.hpp"
#include "lessons/catalogue.hpp"

#include <optional>

namespace tfx {

class LessonReference {
public:
  /// `run` is one like "attention-block:2". Nothing where none is shipped.
  static std::optional<LessonReference> of(std::string run);

  struct Comparison {
    enum class By { cells, hash, sample } by = By::cells;
    std::size_t equal = 0, cells = 0; ///< compared; of a sample, the sums of rows among them
    double worst = 0; ///< the largest |a − b| / max(1, |b|) of these; 1 where a hash differs
  };

  /// Equal is `rounding`; a row's sum may differ by that for each unit of its cells' sizes. Nothing where the
  /// file has no such tensor.
  std::optional<Comparison> compare(const Lesson& lesson, const Step& step) const;

private:
  explicit LessonReference(NpzReader file) : file_(std::move(file)) {}

  bool has(const std::string& name) const;

  /// What the file calls a tensor of the lesson: "masked.output" where the lesson has its own, else its name.
  /// Read token by token, only what is given is other lessons' too; the way from tokens to X is embed's.
  std::optional<std::string> name_of(const Lesson& lesson, const Step& step) const;

  NpzReader file_;
};

struct LessonRun {
  Trace trace;
  std::vector<std::string> notes; ///< for the learner, on stderr
};

/// With the check "equals_reference" where the input is one that NumPy's run was made of. The lesson has a
/// run on the page. By default with central differences, without times.
LessonRun run_lesson(const Lesson& lesson, const InputOptions& options, RunFor purpose = RunFor::proof);

/// The lesson of that command, which there is: a learner's word goes through lesson_named before.
const Lesson& find_lesson(std::string_view command);

} // namespace tfx
