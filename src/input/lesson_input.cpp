#include "input/lesson_input.hpp"

#include "core/tensor.hpp"

#include <algorithm>

namespace tfx {

void give(Trace& trace, const LessonInput& input, const std::string& name) {
  if (trace.has(name)) return;
  const Step* step = input.given.find(name);
  if (!step) return;
  for (const std::string& source : step->operation.inputs) give(trace, input, source);
  trace.steps.push_back(*step);
}

void give_rows(Trace& trace, const std::string& name, const std::string& table, const std::string& ids) {
  trace.add(name, op::gather(table, ids), Role::recap);
}

} // namespace tfx
