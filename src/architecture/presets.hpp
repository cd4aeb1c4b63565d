#pragma once
// Shapes with a name, and what was published about them.

#include "architecture/shape.hpp"

#include <vector>

namespace tfx::params {

struct Preset {
  const char* name;
  ModelShape shape;
  std::uint64_t published; ///< parameters; 0: nobody published them
  bool rounded;            ///< to millions, as a paper prints them
  const char* source;      ///< of the published total
};

const std::vector<Preset>& presets();

/// nullptr where there is none of that name.
const Preset* find_preset(const std::string& name);

} // namespace tfx::params
