#pragma once
// The work of a preset: with drawn weights and ids, or with those of an .npz file, so that several programs
// compute the same.
//
//   attention      te (vocab, d), pe (seq, d), wq wk wv wo (d, d) as x @ w, ids (batch, seq)
//   model, decode  the state_dict's names (docs/model.md), src (batch, len), for model tgt (batch, len)

#include "bench/case.hpp"
#include "bench/presets.hpp"

#include <cstdint>
#include <string>

namespace tfx::bench {

Case make_case(const WorkPreset& preset, std::uint32_t seed);

/// Training has no such file: its weights move. Throws Error(no_input), Error(bad_data) naming the array
/// where one is missing, has another shape, or an id is none of the vocabulary's.
Case load_case(const WorkPreset& preset, const std::string& path, std::uint32_t seed);

} // namespace tfx::bench
