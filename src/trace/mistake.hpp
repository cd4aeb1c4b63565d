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

/// The same line of a program in each language.
struct LineOfCode {
  std::string numpy, torch, cpp;
};

/// One way to get one step wrong. Its words stand in its folder: "mistake.ID" is the advice, in which {code}
/// is the line that mends it, "mistake.ID.symptom" what gives it away.
struct Mistake {
  std::string id; ///< "softmax.no_scale"
  /// The step as it comes out by this mistake; nothing where the mistake cannot be made at this step. `trace`
  /// is the run up to `right`, with what went wrong before; `right` is what the lesson makes of it. Throws
  /// Error(bad_data) where the wrong shapes do not fit.
  std::optional<Step> (*wrong)(const Trace& trace, const Step& right);
  bool whole = false; ///< made at all its steps or not at all: at one of them alone it is something else
  /// Options of its lesson, each with its value, with which it changes numbers where the default input shows
  /// nothing of it.
  std::vector<std::pair<std::string, std::string>> seen_with = {};
  LineOfCode code = {};    ///< what to write instead; empty where the advice has no {code}
  std::string folder = {}; ///< its lesson's, from the catalogue

  Mistake mended_by(std::string numpy, std::string torch, std::string cpp) && {
    code = {std::move(numpy), std::move(torch), std::move(cpp)};
    return std::move(*this);
  }
};

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
