#include "input/layer_input.hpp"

#include "core/architecture.hpp"
#include "core/error.hpp"
#include "core/memory.hpp"

#include <algorithm>

namespace tfx {

void draw_layer(const InputOptions& o, Parameters& p, std::size_t d_model) {
  const std::size_t d_k = p.columns_of("W_Q", p.columns_of("W_K", d_model)), d_v = p.columns_of("W_V", d_k);
  const std::size_t d_ff = o.d_ff.value_or(p.columns_of("W_1", usual_d_ff(d_model)));
  require_memory(12.0 * sizeof(double) * static_cast<double>(d_model) *
                     (static_cast<double>(d_k) + static_cast<double>(d_v) + static_cast<double>(d_ff)),
                 said("a layer of this size"));
  p.weight("W_Q", d_model, d_k);
  p.weight("W_K", d_model, d_k);
  p.weight("W_V", d_model, d_v);
  p.weight("W_O", d_v, d_model);
  for (const std::string letter : {"Q", "K", "V", "O"}) p.bias("b_" + letter, "W_" + letter);
  p.weight("W_1", d_model, d_ff);
  p.weight("W_2", d_ff, d_model);
  p.row("b_1", d_ff, 0);
  p.row("b_2", d_model, 0);
  for (const std::string i : {"1", "2"}) p.row("gain_" + i, d_model, 1), p.row("shift_" + i, d_model, 0);
}

void draw_dropout(const InputOptions& o, LessonInput& input) {
  input.dropout = o.dropout.value_or(0);
  if (input.dropout == 0) return;
  const Trace& given = input.given;
  Shape shape = given[given.has("X_Q") ? "X_Q" : "X"].shape;
  const Shape& keys = given[given.has("X_K") ? "X_K" : "X"].shape;
  shape.back() = keys[keys.size() - 2];
  shape.insert(shape.end() - 2, input.heads);
  double cells = 4.0 * sizeof(double);
  for (const std::size_t extent : shape) cells *= static_cast<double>(extent);
  require_memory(cells, said("the mask of dropout"));
  Draws draws(seed_of(o));
  input.given.add_input("keep", drawn, draws.keep("keep", input.dropout, shape), {});
  std::ranges::copy(draws.lines(), std::back_inserter(input.given.numpy));
}

} // namespace tfx
