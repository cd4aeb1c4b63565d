#pragma once
// What can be said of a counted model, every number of it computed: facts for the words, and checks.

#include "architecture/blueprint.hpp"
#include "architecture/config_file.hpp"
#include "architecture/presets.hpp"
#include "architecture/weight_index.hpp"
#include "core/choices.hpp"
#include "trace/trace.hpp"

namespace tfx::params {

/// Bytes of a number.
enum class Precision { f16, bf16, f32, f64 };
std::uint64_t bytes_of(Precision precision);
const Choices<Precision>& precisions();

struct Counted {
  std::string name;
  Module root;
  Totals sum;
  std::optional<ModelShape> shape;       ///< none: a checkpoint, of which nobody knows what it computes
  const Preset* published = nullptr;     ///< the preset, as it is
  std::optional<ConfigFile> config = {}; ///< where it is counted by one; its shape is as the file says
  std::optional<WeightIndex> index = {}; ///< of its files; without a shape it is all that is known
  bool shows_cache = false;              ///< whether the screen has its keys and values
};

/// The blueprint of a shape, counted.
Counted counted(const std::string& name, const ModelShape& shape, const Preset* published);

/// Facts and checks of one model, for the words of the lesson.
void remark(Trace& trace, const Counted& model, Precision precision);

/// The length of a sequence from which on Q·Kᵀ and weights·V take more multiply-adds than the other products
/// of the layers. 0 where there is no attention.
std::uint64_t attention_overtakes(const Counted& model);

} // namespace tfx::params
