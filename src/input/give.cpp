#include "input/give.hpp"

#include "core/broadcast.hpp"

#include <algorithm>

namespace tfx {

void give(Trace& trace, const LessonInput& input, const std::string& name) {
  if (trace.has(name)) return;
  const Step* step = input.given.find(name);
  if (!step) return;
  for (const std::string& source : step->how.inputs) give(trace, input, source);
  trace.steps.push_back(*step);
}

void give_rows(Trace& trace, const std::string& name, const std::string& table, const std::string& ids) {
  trace.add(name, table + "[" + ids + "]", how::of(Op::gather, {table, ids}), Role::recap, [&] {
    const Tensor &rows = trace[table], &numbers = trace[ids];
    Shape shape = numbers.shape;
    shape.push_back(rows.shape.back());
    Tensor result(shape);
    const std::size_t width = rows.shape.back();
    for (std::size_t i = 0; i < numbers.size(); ++i)
      std::copy_n(rows.data.begin() +
                      static_cast<std::ptrdiff_t>(static_cast<std::size_t>(numbers.data[i]) * width),
                  width, result.data.begin() + static_cast<std::ptrdiff_t>(i * width));
    return result;
  });
}

} // namespace tfx
