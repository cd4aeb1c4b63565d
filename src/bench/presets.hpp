#pragma once
// Shapes with a name: the ones that other programs were measured on too (docs/benchmark.md).

#include "bench/work.hpp"
#include "core/choices.hpp"

#include <string>
#include <variant>
#include <vector>

namespace tfx::bench {

enum class What { attention, model, train, decode };

/// "attention", "model", "train", "decode".
const Choices<What>& works();
std::string name_of(What what);

struct WorkPreset {
  std::string name;
  What what;
  std::variant<AttentionShape, EncoderDecoderShape> shape; ///< the former for attention
};

/// A1 … A4, B11, B10k, C, D11, D10k.
const std::vector<WorkPreset>& presets();

std::vector<std::string> work_preset_names();

/// nullptr where there is none of that name.
const WorkPreset* find_preset(const std::string& name);

/// The first preset of that work: what is timed where nothing else is asked for.
const WorkPreset& default_preset(What what);

} // namespace tfx::bench
