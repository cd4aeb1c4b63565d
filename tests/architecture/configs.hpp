#pragma once
// The configurations of published models in tests/architecture/configs: the fields that matter, in our own
// words.

#include "architecture/config_file.hpp"
#include "io/file.hpp"

#include <string>

namespace tfx::params {

inline std::string config_path(const std::string& name) {
  return TFX_SOURCE_DIR "/tests/architecture/configs/" + name + ".json";
}

inline ConfigFile config_of_file(const std::string& name) {
  return read_config(read_json(read_file(config_path(name)), name), name);
}

} // namespace tfx::params
