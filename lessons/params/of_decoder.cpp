// What the lesson params counts of a decoder alone.

#include "input/options.hpp"
#include "lessons/known_models.hpp"
#include "model/checkpoint.hpp"
#include "model/model_spec.hpp"
#include "words/in_words.hpp"

#include <algorithm>

namespace tfx {

/// d_model, d_ff, h, N, vocab of --model, and n tokens to read: --seq, by default as many as it can read, at
/// most 128. Throws Error(usage) for a model that has an encoder, for one whose attention is not made of four
/// square matrices, and for more tokens than it reads; and what model_file throws.
LessonInput sizes_of_decoder(const InputOptions& o, const InputRules&) {
  constexpr std::size_t usual_length = 128;
  const TensorFile file = model_file(*o.model);
  const ModelSpec spec = spec_in(file, given_style(o, file));
  if (spec.stacks != Stacks::decoder) throw usage_error("gpt_has_encoder", {{"name", *o.model}});
  const bool is_square = spec.heads * spec.width_of_head() == spec.d_model &&
                         spec.key_heads() == spec.heads && !spec.qk_norm && spec.window == 0 && spec.d_ff > 0;
  if (!is_square) throw usage_error("params_parts", {{"name", *o.model}});
  if (o.seq && *o.seq > spec.max_len)
    throw usage_error("count", {{"name", "--seq"},
                                {"least", "1"},
                                {"most", std::to_string(spec.max_len)},
                                {"text", std::to_string(*o.seq)}});
  LessonInput input;
  const auto give = [&](const char* name, const std::string& source, std::size_t number) {
    input.given.add_input(name, source, Tensor({}, {static_cast<double>(number)}), {});
  };
  give("d_model", *o.model, spec.d_model), give("d_ff", *o.model, spec.d_ff);
  give("h", *o.model, spec.heads), give("N", *o.model, spec.layers);
  give("vocab", *o.model, spec.tgt_vocab);
  give("n", "--seq", o.seq.value_or(std::min(usual_length, spec.max_len)));
  input.decoder = std::make_shared<const ModelSpec>(spec);
  input.notes = notes_on(file);
  input.given.facts["trained"] = input.given.facts["decoder_alone"] = *o.model;
  input.given.facts["family"] = std::string("decoder");
  return input;
}

} // namespace tfx
