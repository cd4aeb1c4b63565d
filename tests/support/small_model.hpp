#pragma once
// A small model with weights that hide nothing: no norm at 1 and 0, no bias at 0.

#include "model/transformer.hpp"
#include "model/weights.hpp"
#include "support/random_input.hpp"

namespace tfx {

inline ModelSpec small_spec() {
  ModelSpec spec;
  spec.layers = 2, spec.d_model = 12, spec.d_ff = 20;
  spec.src_vocab = 11, spec.tgt_vocab = 13;
  spec.heads = 3;
  spec.max_len = 40;
  return spec;
}

template <class Real>
Transformer<Real> small_model(std::uint32_t seed, const ModelSpec& spec = small_spec()) {
  Transformer<Real> model(spec);
  initialize(model, WeightInit::xavier_uniform, seed);
  RandomInput random(seed);
  each_parameter(
      [&](const std::string& name, auto& tensor) {
        if (name.ends_with("a_2") || name.ends_with("b_2"))
          for (auto& cell : tensor) cell += static_cast<Real>(random.number(0.5));
      },
      "", model);
  return model;
}

/// Rows of ids from 1 on, so that 0 can be padding.
inline std::vector<TokenIds> random_rows(RandomInput& random, const std::vector<std::size_t>& lengths,
                                         std::size_t vocab) {
  std::vector<TokenIds> rows;
  for (const std::size_t length : lengths) {
    TokenIds row(length);
    for (std::uint32_t& id : row) id = static_cast<std::uint32_t>(random.size(1, vocab - 1));
    rows.push_back(row);
  }
  return rows;
}

} // namespace tfx
