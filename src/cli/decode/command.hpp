#pragma once
// `tfx decode`: a trained model's answers to a text, or to each line of a file.

#include "cli/decode/decoding.hpp"
#include "cli/decode/trained_model.hpp"

namespace tfx {

// How `tfx decode` chooses: the most probable token, a beam, or a draw.

struct DecodeOptions {
  TrainedOptions trained;
  std::optional<std::string> file, save;
  std::optional<std::size_t> beam, top_k;
  std::optional<double> length_penalty, temperature, top_p;
  std::optional<std::uint32_t> seed;
  std::optional<WeightType> weights; ///< nothing: in double
  bool no_cache = false, align = false, quiet = false, json = false, no_time = false;
};

const std::vector<Option<DecodeOptions>>& decode_options();

DecodeRequest request_of(const DecodeOptions& options);

} // namespace tfx
