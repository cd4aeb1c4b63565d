#include "trace/explain.hpp"

#include "core/error.hpp"
#include "core/number.hpp"
#include "trace/arithmetic.hpp"
#include "trace/labels.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

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

} // namespace

std::vector<std::size_t> largest_terms(const Explanation& explanation, std::size_t most) {
  std::vector<std::size_t> order(explanation.terms.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (order.size() <= most) return order;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(explanation.terms[a].value) > std::abs(explanation.terms[b].value);
  });
  order.resize(most);
  std::sort(order.begin(), order.end());
  return order;
}

std::string arithmetic(const Explanation& explanation, std::size_t most, int precision) {
  const std::vector<std::size_t> shown = largest_terms(explanation, most);
  std::string text = explanation.before;
  for (std::size_t i = 0; i < shown.size(); ++i)
    text += (i ? explanation.between : "") + explanation.terms[shown[i]].text;
  if (shown.size() < explanation.terms.size()) {
    const bool sum = explanation.between == " + ";
    double rest = 0;
    for (std::size_t i = 0; i < explanation.terms.size(); ++i)
      if (!std::binary_search(shown.begin(), shown.end(), i)) rest += explanation.terms[i].value;
    text += explanation.between + "… " + std::to_string(explanation.terms.size() - shown.size());
    if (sum) text += " (" + format_number(rest, precision) + ")";
  }
  return text + explanation.after;
}

Explanation explain(const Trace& trace, const std::string& tensor, const Index& index, int depth,
                    std::size_t most, int precision) {
  const Step& step = step_named(trace, tensor);
  check_index(step, index);
  Explanation result = explain_cell(trace, step, index, precision);
  if (depth <= 0) return result;
  for (std::size_t i : largest_terms(result, most))
    for (const CellRef& read : result.terms[i].reads) {
      const bool seen =
          std::any_of(result.sources.begin(), result.sources.end(), [&](const Explanation& source) {
            return source.cell.tensor == read.tensor && source.cell.index == read.index;
          });
      if (!seen)
        result.sources.push_back(explain(trace, read.tensor, read.index, depth - 1, most, precision));
    }
  return result;
}

} // namespace tfx
