#pragma once
// The tutorials' own data: every run that a tutorial makes, with its draws in its order.

#include "input/options.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tfx {

/// Of queries, keys and values that are drawn; or of tokens that are, with a d_model.
struct Sizes {
  std::size_t batch; ///< 1: the run has no axis for it
  std::size_t n_q, n_k, d_k, d_v;
  std::optional<std::size_t> d_model = {}; ///< then heads share it: d_k and d_v follow
  std::size_t heads = 1;
  Init init = Init::normal;
  bool causal = false;
};

/// One run of a tutorial: "attention-block:2" is the second one of attention-block.
struct Run {
  std::string id; ///< "attention-block"
  int variant;    ///< 2
  bool seeded;    ///< the tutorial sets the seed; otherwise it prints shapes only and the seed is ours
  bool (*fits)(const InputRules& lesson);  ///< whether it has what the lesson starts from
  LessonInput (*make)(std::uint32_t seed); ///< nullptr: the lesson's own input makes it
  std::optional<Sizes> sizes = {}; ///< of a run that is drawn as a learner's own is: others may be asked for

  std::string name() const { return id + ":" + std::to_string(variant); } ///< "attention-block:2"
};

const std::vector<Run>& runs();

/// The run that "ID" or "ID:VARIANT" means in a lesson: without a variant the lesson's own, else the first
/// that fits. Throws Error(usage) with the names there are where none fits.
const Run& find_run(std::string_view name, const InputRules& lesson);

} // namespace tfx
