#include "trace/explain.hpp"

#include "core/error.hpp"
#include "core/number.hpp"
#include "ops/cell_reader.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

namespace tfx {

namespace {

const Step& step_named(const Trace& trace, const std::string& name) {
  const Step* step = trace.find(name);
  if (!step) throw Error(ErrorKind::usage, "lesson " + trace.lesson + " has no tensor " + name);
  return *step;
}

void check_index(const Step& step, const Index& index) {
  const Shape& shape = step.value.shape;
  const std::string where = step.name + " has shape " + to_string(shape);
  if (index.size() != shape.size())
    throw Error(ErrorKind::usage,
                where + ": it takes " + std::to_string(shape.size()) + " indices, not " +
                    std::to_string(index.size()),
                "indices count from 0");
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    if (index[axis] >= shape[axis])
      throw Error(ErrorKind::usage,
                  where + ": index " + std::to_string(index[axis]) + " is outside axis " +
                      std::to_string(axis),
                  "indices count from 0, so the last one there is " + std::to_string(shape[axis] - 1));
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

// From a cell down to its sources. A softmax reads a whole row for each of its cells, so without remembering
// what has been explained every level would multiply the output by the length of a row.
class Walk {
public:
  Walk(const Trace& trace, std::size_t most, int precision)
      : trace_(trace), max_terms_(most), precision_(precision) {}

  Explanation down(const Step& step, const Index& index, int depth) {
    Explanation result = explain_cell(trace_, step, index, precision_);
    const auto [known, is_new] = explained_.try_emplace({step.name, index}, depth);
    if (!is_new && known->second >= depth) {
      result.repeated = true;
      result.terms.clear();
      return result;
    }
    known->second = depth;
    bool complete = true; // down to what is given
    for (std::size_t i : largest_terms(result, max_terms_))
      for (const CellRef& read : result.terms[i].reads) {
        if (depth > 0 && !is_source(result, read))
          result.sources.push_back(down(*trace_.find(read.tensor), read.index, depth - 1));
        complete = complete && depth > 0 && explained_.at({read.tensor, read.index}) == to_the_end;
      }
    if (complete) known->second = to_the_end;
    return result;
  }

private:
  static bool is_source(const Explanation& explanation, const CellRef& cell) {
    return std::any_of(explanation.sources.begin(), explanation.sources.end(),
                       [&](const Explanation& source) {
                         return source.cell.tensor == cell.tensor && source.cell.index == cell.index;
                       });
  }

  const Trace& trace_;
  std::size_t max_terms_;
  int precision_;
  static constexpr int to_the_end = std::numeric_limits<int>::max();
  std::map<std::pair<std::string, Index>, int> explained_; ///< how deep
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

Explanation explain(const Trace& trace, const std::string& tensor, const Index& index, int depth,
                    std::size_t most, int precision) {
  const Step& step = step_named(trace, tensor);
  check_index(step, index);
  return Walk(trace, most, precision).down(step, index, depth);
}

} // namespace tfx
