#include "steps/head_steps.hpp"

#include "core/broadcast.hpp"
#include "core/error.hpp"
#include "lessons/formulas.hpp"
#include "input/give.hpp"

namespace tfx {

Tensor split_heads(const Tensor& M, std::size_t h) {
  Shape shape = M.shape;
  shape.insert(shape.end() - 2, h);
  shape.back() /= h;
  Tensor heads(shape);
  for (std::size_t i = 0; i < matrix_count(M); ++i) {
    const std::vector<arma::mat> parts = page::split_heads(matrix(M, i), h);
    for (std::size_t k = 0; k < h; ++k) set_matrix(heads, i * h + k, parts[k]);
  }
  return heads;
}

Tensor merge_heads(const Tensor& heads) {
  const std::size_t h = heads.shape[heads.rank() - 3];
  Shape shape = heads.shape;
  shape.erase(shape.end() - 3);
  shape.back() *= h;
  Tensor M(shape);
  for (std::size_t i = 0; i < matrix_count(M); ++i) {
    std::vector<arma::mat> parts;
    for (std::size_t k = 0; k < h; ++k) parts.push_back(matrix(heads, i * h + k));
    set_matrix(M, i, page::merge_heads(parts));
  }
  return M;
}

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
