#pragma once
// How the layers of a model's file compute, as far as the command line has to say it: a state_dict has
// tensors and no style.

#include "input/options.hpp"
#include "model/checkpoint.hpp"

#include <string>

namespace tfx {

/// What --heads, --norm, --norm-first, --norm-last and --activation say of the file's model. Throws
/// Error(usage) where the file's metadata say it, and for an activation that no model of the engine has.
GivenStyle given_style(const InputOptions& options, const TensorFile& file);

/// " --norm standard --norm-last --activation relu": what of the model's style neither the file nor the
/// options say. Empty where nothing is left.
std::string assumed_style(const InputOptions& options, const TensorFile& file, const Config& config);

} // namespace tfx
