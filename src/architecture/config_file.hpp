#pragma once
// A published model by its config.json, as Hugging Face's transformers write it: which family, which sizes,
// and what the class of its configuration takes where the file says nothing.

#include "architecture/shape.hpp"
#include "io/json_reader.hpp"
#include "model/config_fields.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tfx::params {

struct ConfigFile {
  std::string model_type;       ///< "llama"
  std::string config_class;     ///< "LlamaConfig", whose defaults they are
  std::string counted_as;       ///< "LlamaForCausalLM"
  std::string other_class = {}; ///< the first of `architectures` where that is another one, else empty
  bool is_quantized = false;    ///< its weights are kept in fewer bits, in other shapes
  std::vector<TakenDefault> defaults = {};
  ModelShape shape = {};
};

/// "gpt2, opt, …".
std::vector<std::string> known_model_types();

/// `file` is its name in messages. Throws Error(bad_data) where the document is no configuration, its
/// model_type is none of these, a size is missing or none (a whole number from 1 to 10⁹, layers to 1,000), or
/// the model has parts that these families have not.
ConfigFile read_config(const JsonValue& document, const std::string& file);

} // namespace tfx::params
