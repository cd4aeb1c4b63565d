#include "lessons/reference.hpp"

#include "core/resource.hpp"
#include "io/npz.hpp"
#include "trace/checks.hpp"

#include <algorithm>
#include <cmath>

namespace tfx {

namespace {

std::size_t equal_cells(const Tensor& ours, const Tensor& reference) {
  if (ours.shape != reference.shape) return 0;
  std::size_t equal = 0;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const double a = ours.data[i], b = reference.data[i];
    equal += a == b || std::abs(a - b) <= rounding * std::max(1.0, std::abs(b));
  }
  return equal;
}

} // namespace

void check_against_reference(Trace& trace, const std::string& run) {
  std::string file = "data/reference/lessons/" + run + ".npz";
  std::replace(file.begin(), file.end(), ':', '-');
  if (!has_resource(file)) return;
  const NpzReader reference(resource(file), file);
  std::size_t equal = 0, total = 0;
  for (const Step& step : trace.steps) {
    const std::string own = trace.lesson + "." + step.name;
    const std::string& name = reference.has(own) ? own : step.name;
    if (!reference.has(name)) continue;
    const Tensor expected = reference.read(name).values;
    equal += equal_cells(step.value, expected);
    total += expected.size();
  }
  if (total == 0) return;
  trace.facts["matched"] = static_cast<double>(equal);
  trace.facts["total"] = static_cast<double>(total);
  trace.check("equals_reference", equal == total, static_cast<double>(equal));
}

} // namespace tfx
