#pragma once
// A lesson's run as data: named tensors in order, each with its formula, its labels and how it came about;
// the facts that the words of the page quote; the checks. Lessons compute a Trace and never print; terminal,
// JSON, npz, explain, checks and cost all read it. Rerun computes it once more with other numbers in some of
// its tensors.

#include "core/stopwatch.hpp"
#include "ops/ops.hpp"
#include "trace/picture.hpp"

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace tfx {

/// What a tensor is in this lesson.
enum class Role {
  before,    ///< of a trained model: on the way to what this lesson is given
  input,     ///< given: words, matrices, masks
  parameter, ///< given, and learned in a real model: counted
  recap,     ///< computed, but an earlier lesson's subject
  result,    ///< what this lesson is about: its cost is the lesson's
  gradient   ///< how the run's one number moves with every cell of an earlier tensor
};

/// Where numbers come from that were drawn at random.
inline constexpr const char* drawn = "np.random";

/// A named tensor of the run, and how it came about.
struct Step : LabelledTensor {
  std::string formula; ///< "Q·Kᵀ"; for an input, where it comes from
  Operation operation;
  Role role = Role::result;
  double first_seconds =
      0; ///< of the run that made the value, on memory that nobody had touched: no time to show
  std::optional<Timing> timing = {}; ///< of warm runs of its formula, where there were some (time_steps)

  /// Whether its numbers were drawn at random.
  bool is_drawn() const { return operation.is(op::given) && formula == drawn; }
};

/// A computed value that the words quote as {name}.
using Fact = std::variant<double, std::string, std::vector<double>, std::vector<std::string>>;

struct Check {
  std::string id; ///< "rows_sum_to_one": key of its sentence in the words
  bool pass = false;
  double value = 0; ///< what was measured: a largest deviation, a count
};

/// A function of the numbers from `first` on, drawn as a curve; its name is a key of the words.
struct Plot {
  std::string column;
  std::vector<double> values;
  std::size_t first = 1;
};

/// Numbers that are not tensors of the run: an experiment. Column names are keys of the words.
struct Experiment {
  std::string name;
  std::vector<std::string> columns;
  std::vector<std::string> rows;
  Tensor values;                ///< (rows, columns)
  bool pictured = false;        ///< each row is a share of 1: the terminal draws it too
  std::vector<Plot> plots = {}; ///< beside each other below the table
  std::vector<std::vector<std::string>> texts =
      {};              ///< a row: cells before the numbers, under the first columns
  bool worded = false; ///< rows and texts are keys of words, as columns are
};

/// A part of a lesson's page: tensors and experiments that it shows whole, under a heading, which is the
/// first line of the lesson's words of "section." and the key, as what to see in them is the rest; without a
/// key under none. The section "result" stands first, in place of the run's result.
struct PageSection {
  std::string key;
  std::vector<std::string> tensors;
};

/// A page of a lesson behind its first, by its name: `tfx loss back`. The lesson's words of "page." and the
/// name are its title, and below that why.
struct FurtherPage {
  std::string name;
  std::vector<std::string> looks; ///< "look.2": what to look at here, and not on the first page
  std::vector<PageSection> sections;
};

/// A gradient beside the central differences (L(x + h) − L(x − h)) / 2h of some or all of its cells.
struct GradientCheck {
  std::string gradient, of; ///< "dW_Q", "W_Q"
  Tensor differences;       ///< of the gradient's shape; NaN in cells that were not tried
  std::size_t tried = 0;    ///< cells
  std::size_t skipped = 0;  ///< cells where L has a corner, and no derivative to compare
  Index worst;              ///< the cell where the two lie farthest apart
  double largest = 0;       ///< how far, relative to the gradient's largest cell
};

/// What a run costs (trace/cost.hpp says how it is counted).
struct Cost {
  std::size_t parameters = 0;
  std::size_t macs = 0;
  std::size_t flops = 0;
  std::optional<Timing> timing = Timing{}; ///< none where a part has none

  Cost& operator+=(const Cost& other);
};

/// The cell that a lesson's page spells out.
struct Spotlight {
  std::string tensor;
  Index index;
};

/// What a run is read for, each with what stands before it: its numbers; central differences beside its
/// gradients; times, for which its steps are run again.
enum class RunFor { values, proof, times };

class Trace {
public:
  RunFor purpose = RunFor::values;
  std::string lesson;             ///< "scores"
  std::string tutorial;           ///< "fun-transformer", or empty for the learner's own data
  std::vector<std::string> numpy; ///< the NumPy lines that draw the same inputs
  std::string main; ///< the tensor that the lesson is about, and that an array without a name is taken for
  std::string pictured;        ///< the weights whose picture stands beside the result; by default "weights"
  std::set<std::string> drawn; ///< steps of which a page shows a picture in place of the numbers
  std::set<std::string>
      inner; ///< steps that a document only counts and no question is about, as a model has many
  std::optional<BarPicture> idea;     ///< what the page shows first; no part of the run's numbers
  std::optional<Spotlight> spotlight; ///< by default a cell of `main`'s first row
  std::vector<std::string> objective; ///< gradients are those of the mean of these; empty: of `main`
  std::deque<Step> steps;             ///< a deque: a reference to an earlier tensor stays valid
  std::map<std::string, Fact> facts;
  std::vector<Check> checks;
  std::vector<Experiment> experiments;
  std::vector<GradientCheck> gradients; ///< empty without --grad, and in a run for its values
  std::string dtype = "float64";        ///< what the tensors were computed in
  std::optional<Cost> measured;         ///< of a run without recorded operations; else steps are counted

  /// The step of that name, or nullptr.
  const Step* find(const std::string& name) const;
  bool has(const std::string& name) const { return find(name) != nullptr; }
  /// The experiment of that name, or nullptr.
  const Experiment* find_experiment(const std::string& name) const;
  /// Throws Error(internal) where there is none: lessons ask only for what they added.
  const Tensor& operator[](const std::string& name) const;
  const Step& step_named(const std::string& name) const; ///< throws as operator[] does

  /// Whether it was computed by a trained model, for this lesson to begin with.
  bool is_of_model(const Step& step) const;

  void add_input(std::string name, std::string source, Tensor value, Labels labels, Role role = Role::input);

  /// The operation's result on tensors of this run, timed and labelled, as a step of that name. `formula`
  /// replaces what the operation writes by itself.
  const Tensor& add(std::string name, Operation operation, Role role, std::string formula = {});

  /// The operation's result, and the seconds of this first run of it.
  std::pair<Tensor, double> first_run(const Operation& operation) const;

  /// What the operation reads, from the steps that are there. Throws Error(internal) where one is missing.
  Arguments arguments(const Operation& operation) const;
  /// The step as its operation sees it.
  Computed computed(const Step& step) const;

  /// Set an axis's labels of the step added last; axis −1 is the last.
  void relabel(int axis, std::vector<std::string> labels);

  void check(std::string id, bool pass, double value) { checks.push_back({std::move(id), pass, value}); }
  /// Passes where value ≤ limit.
  void check_at_most(std::string id, double value, double limit) {
    check(std::move(id), value <= limit, value);
  }

private:
  std::vector<const LabelledTensor*> inputs_of(const Operation& operation) const;
};

/// q1 … qn.
std::vector<std::string> numbered(const std::string& letter, std::size_t n);

/// Label of row `i` of a step, or its number.
std::string row_label(const Trace& trace, const std::string& name, std::size_t i);

/// Whether no other row of the step has the label of row `i`.
bool named_once(const Trace& trace, const std::string& name, std::size_t i);

/// What takes the place of a tensor, from what the tensor is by then.
using Replacement = std::function<Tensor(const Tensor&)>;

class Rerun {
public:
  /// `instead` by the names of tensors; `until`: the last step that is computed, empty: all are. The trace
  /// must outlive this.
  Rerun(const Trace& trace, const std::map<std::string, Replacement>& instead, const std::string& until = {});

  /// The tensor of that name, as it comes out now.
  const Tensor& operator[](const std::string& name) const;
  /// Those that are not as they were, by name.
  const std::map<std::string, Tensor>& changed() const { return changed_; }

private:
  const Trace& trace_;
  std::map<std::string, Tensor> changed_;
};

} // namespace tfx
