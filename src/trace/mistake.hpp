#pragma once
// A mistake that learners make, as data, and what such a step is made of. Each lesson's own are in its
// mistakes.cpp, and the catalogue has all: one list for `tfx break`, which shows right and wrong side by
// side, `tfx check`, which recognises them in a learner's array, and `tfx verify --mutants`, which proves
// that the properties (src/judge/property.hpp) notice every one of them.

#include "ops/shape_rule.hpp"
#include "trace/trace.hpp"

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tfx {

/// A formula that stands in the place of a step's own.
///
/// `at` says which steps, "Q@matmul of norm_1 if memory, K": by name ("std_#" with any suffix, which # is in
/// the formula too), by operation, by its inputs (of: the first, by: the second), and by what the run has
/// (if) or has not (unless).
///
/// The formula's names are tensors of the run, before all else; A, B and C, the inputs of the step's
/// operation; x, the step as it is; c, the operation's constant, c_A and c_B those of the
/// operations that made A and B; eps, what the norm # adds; S, what the
/// weights are the softmax of; W, the weights that mix the values; N, what the norm # reads; Qₕ, Kₕ and Vₕ,
/// Q, K and V of each head where there are heads; pad, the padding's number or −1; and the sizes of sizes()
/// in mistake.cpp (d_k, n_k, rows of A, …). Where one of them is not in the run, the formula cannot stand
/// there. What is shown may name y too, x in brackets, and what depends on the step's rank: rows_axis,
/// heads_axis, rows_reversed, first_row.
struct WrongFormula {
  std::string at;
  std::string formula;    ///< text, as ops/formula.hpp reads it
  std::string shown = {}; ///< what a learner writes, where that is another text; behind "=" sizes are numbers
};

/// The same line of a program in each language.
struct LineOfCode {
  std::string numpy, torch, cpp;
};

/// One way to get one step wrong. Its words stand in its folder: "mistake.ID" is the advice, in which {code}
/// is the line that mends it, "mistake.ID.symptom" what gives it away.
struct Mistake {
  /// What is more than a formula: the step as it comes out, with the arguments and errors of `wrong` below.
  using Function = std::optional<Step> (*)(const Trace& trace, const Step& right);

  Mistake(std::string name, std::vector<WrongFormula> rows)
      : id(std::move(name)), formulas(std::move(rows)) {}
  Mistake(std::string name, Function function) : id(std::move(name)), by(function) {}

  std::string id;                          ///< "softmax.no_scale"
  std::vector<WrongFormula> formulas = {}; ///< the first that can stand in the step's place does
  Function by = nullptr;
  bool whole = false;      ///< made at all its steps or not at all: at one of them alone it is something else
  bool own_lesson = false; ///< made in its own lesson alone
  /// Options of its lesson, each with its value, with which it changes numbers where the default input shows
  /// nothing of it.
  std::vector<std::pair<std::string, std::string>> seen_with = {};
  LineOfCode code = {};    ///< what to write instead; empty where the advice has no {code}
  std::string folder = {}; ///< its lesson's, from the catalogue

  /// The step as it comes out by this mistake; nothing where the mistake cannot be made at this step. `trace`
  /// is the run up to `right`, with what went wrong before; `right` is what the lesson makes of it. Throws
  /// Error(bad_data) where the wrong shapes do not fit.
  std::optional<Step> wrong(const Trace& trace, const Step& right) const;

  Mistake mended_by(std::string numpy, std::string torch, std::string cpp) && {
    code = {std::move(numpy), std::move(torch), std::move(cpp)};
    return std::move(*this);
  }
  Mistake as_a_whole() && {
    whole = true;
    return std::move(*this);
  }
  Mistake seen_by(std::vector<std::pair<std::string, std::string>> options) && {
    seen_with = std::move(options);
    return std::move(*this);
  }
};

/// The mistakes, made in their own lesson alone.
std::vector<Mistake> in_own_lesson(std::vector<Mistake> mistakes);

/// What the names of a wrong formula stand for at a step.
class FormulaNames {
public:
  /// Nothing where `at` of a wrong formula does not speak of the step.
  static std::optional<FormulaNames> of(const std::string& at, const Trace& trace, const Step& step);

  /// What the run calls it, "masked" of S; empty where it is no tensor of the run.
  std::string tensor(const std::string& name) const;
  /// Of c and the sizes.
  std::optional<double> number(const std::string& name) const;

  /// The formula with numbers in the place of sizes; nothing where a name of it is not in the run.
  std::optional<std::string> with_numbers(const std::string& formula) const;
  /// The text for a screen: names as the run calls them, x as `itself`, y as `in_brackets`, sizes as they
  /// are.
  std::string on_screen(const std::string& text, const std::string& itself,
                        const std::string& in_brackets) const;
  /// The step by a formula with numbers, as an operation; of one that reads x the value alone. Throws
  /// Error(bad_data) where shapes do not fit.
  Step computed(const std::string& formula, std::string shown) const;

private:
  FormulaNames(const Trace& trace, const Step& step, std::string suffix)
      : trace_(trace), step_(step), suffix_(std::move(suffix)) {}

  const Trace& trace_;
  const Step& step_;
  std::string suffix_;
};

/// A size of the run that a scale can be made of, above 1: "n_k", 5.
struct Size {
  std::string name;
  double value = 0;
};
std::vector<Size> sizes_of(const Trace& trace);

/// The number of the padding among the labels, −1 where nothing is padding; and how many labels are none.
double padding_of(const Trace& trace);
double label_count(const Trace& trace);

/// `right` computed by `operation` instead; `formula` is what the learner wrote. Throws Error(bad_data) where
/// the shapes do not fit: "Q (4, 3) · K (4, 3): 3 ≠ 4".
Step computed_instead(const Trace& trace, const Step& right, std::string formula, Operation operation);
/// `right` with a value that no recorded operation gives.
Step valued_instead(const Step& right, std::string formula, Tensor value);
/// The same, cell by cell in C order.
Step cells_instead(const Step& right, std::string formula, const std::function<double(std::size_t)>& cell);

/// The tensor of that name, to be read cell by cell beside the step. Throws Error(bad_data) where an earlier
/// mistake gave it another shape.
const Tensor& cells_beside(const Trace& trace, const Step& right, std::string_view name);

/// The tensors of those names, and all that they are computed from.
std::set<std::string> way_to(std::set<std::string> names, const Trace& trace);

/// What the weights are the softmax of: "masked" or "scaled"; "scores" where nothing is scaled.
std::string softmax_input(const Trace& trace);
/// What the attention takes for Q, K or V: "K", or "K_heads" where there are heads.
std::string per_head(const Trace& trace, const std::string& name);

/// Whether the lesson has an encoder's output to read: one on the way to a model's vectors is none.
bool has_memory(const Trace& run);

} // namespace tfx
