#include "trace/explain.hpp"

#include "core/error.hpp"
#include "core/number.hpp"
#include "ops/cell_reader.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace tfx {

namespace {

const Step& step_named(const Trace& trace, const std::string& name) {
  const Step* step = trace.find(name);
  if (!step)
    throw usage(said("lesson {lesson} has no tensor {name}", {{"lesson", trace.lesson}, {"name", name}}));
  return *step;
}

void check_index(const Step& step, const Index& index) {
  const Shape& shape = step.value.shape;
  const Message where = said("{name} has shape {shape}", {{"name", step.name}, {"shape", to_string(shape)}});
  if (index.size() != shape.size())
    throw usage(said("{where}: it takes {count} indices, not {given}",
                     {{"where", where}, {"count", shape.size()}, {"given", index.size()}}),
                said("indices count from 0"));
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    if (index[axis] >= shape[axis])
      throw usage(said("{where}: index {index} is outside axis {axis}",
                       {{"where", where}, {"index", index[axis]}, {"axis", axis}}),
                  said("indices count from 0, so the last one there is {last}", {{"last", shape[axis] - 1}}));
}

// One level: the cell's own terms, no sources. The index must lie inside the tensor.
Explanation explain_cell(const Trace& trace, const Step& step, const Index& index, int precision) {
  Explanation e;
  e.cell = {step.name, index, step.value.at(index)};
  e.label = cell_name(step, index);
  if (const auto explain = step.operation.kind->explain)
    explain(e, CellReader(trace.computed(step), e.cell.index, precision));
  else
    e.formula = step.formula;
  return e;
}

// A cell of the run: which step, and where in its data.
struct Place {
  std::size_t step = 0, offset = 0;
  auto operator<=>(const Place&) const = default;
};

// A bit a cell, of the steps that are touched: a set of all cells takes a 64th of what the run does.
class CellSet {
public:
  explicit CellSet(const Trace& trace) : trace_(trace), bits_(trace.steps.size()) {}

  bool has(const Place& cell) const {
    const auto& bits = bits_[cell.step];
    return !bits.empty() && bits[cell.offset];
  }

  /// Whether it is new.
  bool insert(const Place& cell) {
    auto& bits = bits_[cell.step];
    if (bits.empty()) bits.resize(trace_.steps[cell.step].value.size());
    if (bits[cell.offset]) return false;
    bits[cell.offset] = true;
    return true;
  }

  template <class Visit>
  void for_each(Visit visit) const {
    for (std::size_t step = 0; step < bits_.size(); ++step)
      for (std::size_t i = 0; i < bits_[step].size(); ++i)
        if (bits_[step][i]) visit(Place{step, i});
  }

private:
  const Trace& trace_;
  std::vector<std::vector<bool>> bits_;
};

// From a cell down to its sources. Cells share sources (a softmax reads a whole row for each of its cells),
// so they are no tree: every cell is told once, whichever way one comes to it. Nothing of it is kept but
// bits.
class Walk {
public:
  Walk(const Trace& trace, int depth, std::size_t most, int precision, ExplanationVisitor& visitor)
      : trace_(trace),
        depth_(depth),
        max_terms_(most),
        precision_(precision),
        visitor_(visitor),
        told_(trace),
        inner_(trace) {
    for (std::size_t i = 0; i < trace.steps.size(); ++i) steps_.emplace(trace.steps[i].name, i);
  }

  void from(const Step& step, const Index& index) {
    const Place root{steps_.at(step.name), offset_of(step.value.shape, index)};
    if (depth_ > 0) find_inner(root);
    down(root);
  }

private:
  Explanation explained(const Place& cell) const {
    const Step& step = trace_.steps[cell.step];
    return explain_cell(trace_, step, index_of(step.value.shape, cell.offset), precision_);
  }

  // What the largest terms read, each cell once.
  std::vector<Place> sources_of(const Explanation& e) const {
    std::vector<Place> sources;
    std::set<Place> seen;
    for (const std::size_t i : largest_terms(e, max_terms_))
      for (const CellRef& read : e.terms[i].reads) {
        const std::size_t step = steps_.find(read.tensor)->second;
        const Place source{step, offset_of(trace_.steps[step].value.shape, read.index)};
        if (seen.insert(source).second) sources.push_back(source);
      }
    return sources;
  }

  // The cells fewer than `depth` levels away by the shortest way: theirs are the sources that are told too.
  void find_inner(const Place& root) {
    inner_.insert(root);
    if (static_cast<std::size_t>(depth_) >= trace_.steps.size()) return; // no way is longer
    std::optional<CellSet> frontier(trace_);
    frontier->insert(root);
    for (int level = 1; level < depth_; ++level) {
      CellSet next(trace_);
      frontier->for_each([&](const Place& cell) {
        for (const Place& source : sources_of(explained(cell)))
          if (inner_.insert(source)) next.insert(source);
      });
      frontier.emplace(std::move(next));
    }
  }

  bool is_inner(const Place& cell) const {
    return depth_ > 0 && (static_cast<std::size_t>(depth_) >= trace_.steps.size() || inner_.has(cell));
  }

  void down(const Place& cell) {
    std::vector<Place> sources;
    if (told_.insert(cell)) {
      const Explanation e = explained(cell);
      visitor_.enter(e);
      if (is_inner(cell)) sources = sources_of(e);
    } else {
      const Step& step = trace_.steps[cell.step];
      Explanation again;
      again.cell = {step.name, index_of(step.value.shape, cell.offset), step.value.data[cell.offset]};
      again.label = cell_name(step, again.cell.index);
      again.formula = step.formula;
      again.repeated = true;
      visitor_.enter(again);
    }
    for (const Place& source : sources) down(source);
    visitor_.leave();
  }

  const Trace& trace_;
  int depth_;
  std::size_t max_terms_;
  int precision_;
  ExplanationVisitor& visitor_;
  std::map<std::string_view, std::size_t> steps_;
  CellSet told_, inner_;
};

// All of it at once.
class ExplanationTree final : public ExplanationVisitor {
public:
  void enter(const Explanation& cell) override { open_.push_back(cell); }
  void leave() override {
    Explanation done = std::move(open_.back());
    open_.pop_back();
    (open_.empty() ? whole_ : open_.back().sources.emplace_back()) = std::move(done);
  }
  Explanation take() { return std::move(whole_); }

private:
  std::vector<Explanation> open_;
  Explanation whole_;
};

} // namespace

std::vector<std::size_t> largest_terms(const Explanation& explanation, std::size_t most) {
  std::vector<std::size_t> order(explanation.terms.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (order.size() <= most || order.size() - 1 == most) return order;
  // What adds most, or what wins a maximum.
  const bool sum = explanation.between == " + ";
  const auto size = [&](std::size_t i) {
    return sum ? std::abs(explanation.terms[i].value) : explanation.terms[i].value;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return size(a) > size(b); });
  order.resize(most);
  std::sort(order.begin(), order.end());
  return order;
}

std::string plain_rest(std::size_t count, const std::string& sum) {
  return "… " + std::to_string(count) + (sum.empty() ? "" : " (" + sum + ")");
}

std::string arithmetic(const Explanation& explanation, std::size_t most, int precision,
                       const NameRest& name_rest) {
  const std::vector<std::size_t> shown = largest_terms(explanation, most);
  std::string text = explanation.before;
  for (std::size_t i = 0; i < shown.size(); ++i)
    text += (i ? explanation.between : "") + explanation.terms[shown[i]].text;
  if (shown.size() < explanation.terms.size()) {
    const bool sum = explanation.between == " + ";
    double rest = 0;
    for (std::size_t i = 0; i < explanation.terms.size(); ++i)
      if (!std::binary_search(shown.begin(), shown.end(), i)) rest += explanation.terms[i].value;
    text += explanation.between + name_rest(explanation.terms.size() - shown.size(),
                                            sum ? format_number(rest, precision) : std::string());
  }
  return text + explanation.after;
}

void explain_down(const Trace& trace, const std::string& tensor, const Index& index, int depth,
                  const ExplanationForm& form, ExplanationVisitor& visitor) {
  const Step& step = step_named(trace, tensor);
  check_index(step, index);
  Walk(trace, depth, form.max_terms, form.precision, visitor).from(step, index);
}

Explanation explain(const Trace& trace, const std::string& tensor, const Index& index, int depth,
                    std::size_t most, int precision) {
  if (depth == 0) { // what a page asks for each of its cells
    const Step& step = step_named(trace, tensor);
    check_index(step, index);
    return explain_cell(trace, step, index, precision);
  }
  ExplanationTree tree;
  explain_down(trace, tensor, index, depth, {most, precision}, tree);
  return tree.take();
}

} // namespace tfx
