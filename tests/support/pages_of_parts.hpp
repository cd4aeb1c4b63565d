#pragma once
// Pages of small decoders with the parts that no lesson has, each with its loss and gradients: together they
// have every operation that lessons have not.

#include "lessons/model/page.hpp"
#include "support/small_model.hpp"

namespace tfx {

inline std::vector<Trace> pages_of_parts() {
  ModelSpec spec = small_spec();
  spec.stacks = Stacks::decoder, spec.layers = 1, spec.d_ff = 5;
  spec.norm.rule = Norm::rms, spec.norm.shift = false, spec.gated = true, spec.tied = true;
  spec.kv_heads = 1, spec.qk_norm = true, spec.window = 2, spec.positions = Positions::rotary;
  std::vector<Trace> pages;
  for (const Activation activation : {Activation::gelu_tanh, Activation::squared_relu}) {
    spec.activation = activation;
    spec.pairs = pages.empty() ? RotaryPairs::neighbours : RotaryPairs::halves;
    ModelPage page =
        page_of(small_model<double>(3, spec), {}, ragged_batch({{1, 4, 2, 7}, {5, 1, 1, 3}}), 1000);
    page.labels = Tensor({2, 4}, {4, 2, 7, 1, 1, 1, 3, 9});
    page.backward = true;
    pages.push_back(run_model_page(std::move(page)));
  }
  return pages;
}

} // namespace tfx
