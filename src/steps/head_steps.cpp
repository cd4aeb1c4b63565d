#include "steps/head_steps.hpp"

#include "core/error.hpp"
#include "input/give.hpp"

namespace tfx {

void add_split(Trace& t, const std::string& name, std::size_t h, Role role) {
  t.add(name + "_heads", op::split_heads(name).with(static_cast<double>(h)), role);
}

void add_merge(Trace& t, Role role) {
  t.add("concat", op::merge_heads("heads"), role);
}

void add_output_projection(Trace& t, const LessonInput& input, const std::string& name, Role role) {
  give(t, input, "W_O");
  give(t, input, "b_O");
  const bool biased = t.has("b_O");
  if (t["concat"].shape.back() != t["W_O"].shape[0])
    throw Error(ErrorKind::bad_data, unequal_shapes("concat", t["concat"].shape, "W_O", t["W_O"].shape));
  t.add(name, biased ? op::matmul("concat", "W_O", "b_O") : op::matmul("concat", "W_O"), role);
}

} // namespace tfx
