#pragma once
// A config.json beside a model's file: what the tensors do not show of a model under GPT-2's names (GPT-2,
// nanoGPT and minGPT) or Llama's (Llama, Mistral, Qwen2, Qwen3).

#include "io/json_reader.hpp"
#include "model/checkpoint.hpp"

#include <string>
#include <vector>

namespace tfx {

/// "gpt2, llama, …".
std::vector<std::string> computed_model_types();

/// What load_model is given beside the file of weights: heads, ε, activation, positions …, a missing field as
/// its Hugging Face class has it; and what the tensors have to show as well. `file` is the document's name in
/// messages. Throws Error(bad_data) where the document is no configuration, a field is not of its kind, or
/// the model has parts that are not computed here: another model_type, scaled or partly rotary positions,
/// windows in some layers only, capped logits, another activation …
GivenStyle style_in_config(const JsonValue& document, const std::string& file);

/// The same of a file, or of the folder that has it. Throws Error(no_input) too.
GivenStyle style_in_config(const std::string& path);

} // namespace tfx
