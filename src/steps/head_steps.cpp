#include "steps/head_steps.hpp"

#include "core/broadcast.hpp"
#include "core/error.hpp"
#include "input/give.hpp"
#include "lessons/formulas.hpp"
#include "trace/compute.hpp"

namespace tfx {

void add_split(Trace& t, const std::string& name, std::size_t h, Role role) {
  t.add(name + "_heads", "split(" + name + ", h = " + std::to_string(h) + ")",
        how::of(Op::split_heads, {name}, static_cast<double>(h)), role,
        [&] { return split_heads(t[name], h); });
}

void add_merge(Trace& t, Role role) {
  t.add("concat", "[head₁ … head_h]", how::of(Op::merge_heads, {"heads"}), role,
        [&] { return merge_heads(t["heads"]); });
}

void add_output_projection(Trace& t, const LessonInput& input, const std::string& name, Role role) {
  give(t, input, "W_O");
  give(t, input, "b_O");
  const bool biased = t.has("b_O");
  if (t["concat"].shape.back() != t["W_O"].shape[0])
    throw Error(ErrorKind::bad_data, "concat has shape " + to_string(t["concat"].shape) + ", W_O has shape " +
                                         to_string(t["W_O"].shape));
  const How how =
      biased ? how::of(Op::matmul, {"concat", "W_O", "b_O"}) : how::of(Op::matmul, {"concat", "W_O"});
  t.add(name, biased ? "concat·W_O + b_O" : "concat·W_O", how, role, [&] {
    return for_each_matrix(t["concat"], t["W_O"], [&](const arma::mat& C, const arma::mat& W) {
      return biased ? page::project(C, W, arma::rowvec(t["b_O"].data)) : page::project(C, W);
    });
  });
}

} // namespace tfx
