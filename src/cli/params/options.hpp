#pragma once
// What `tfx params` takes: presets, files, configurations of published models, trained models that ship, or a
// shape; and what it reads of them.

#include "architecture/remarks.hpp"
#include "cli/context.hpp"

namespace tfx {

struct ParamsOptions {
  std::vector<std::string> names;      ///< presets, files, folders with a config.json and shipped models
  std::optional<std::string> tutorial; ///< the model of that tutorial instead, a preset by its id
  std::optional<std::size_t> layers, d_model, d_ff, heads, vocab, src_vocab, tgt_vocab, batch, seq, tgt_seq,
      kv_heads;
  std::optional<Positions> positions;
  bool tied = false, no_bias = false, gated = false;
  params::Precision precision = params::Precision::f32;
  std::optional<std::string> int8; ///< the matrix of which is shown how 8 bits hold it
  std::optional<std::size_t> row;  ///< and the row of it; 0
};

/// Which of them a family has; none of a file's.
const std::vector<Option<ParamsOptions, std::optional<params::Family>>>& params_options();

/// Whether a name is that of a configuration or of an index, or of a folder with one: of a .json, by its
/// name.
bool names_configuration(const std::string& name);

/// Each of the names, counted; the annotated model where there is none. Throws Error(usage) where a name is
/// unknown or options do not fit a model, Error(no_memory) where a count does not fit in 63 bits, and what a
/// file may throw.
std::vector<params::Counted> models_of(const ParamsOptions& options);

} // namespace tfx
