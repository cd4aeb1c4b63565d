#pragma once
// Shapes with a name, and what was published about them: the engine's presets, then models of others, which
// have the vocabulary that they were published with.

#include "architecture/shape.hpp"

#include <vector>

namespace tfx::params {

struct Preset {
  std::string name;
  ModelShape shape;
  std::uint64_t published = 0; ///< parameters; 0: nobody published them
  bool rounded = false;        ///< to millions, as a paper prints them
  const char* source = "";     ///< of the published total
};

const std::vector<Preset>& presets();

/// nullptr where there is none of that name.
const Preset* find_preset(const std::string& name);

} // namespace tfx::params
