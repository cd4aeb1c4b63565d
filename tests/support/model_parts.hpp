#pragma once
// The cases of data/reference/parts: a model of every choice alone and of those that published models
// combine, with what PyTorch computes of it (tools/reference/make_parts.py).

#include "core/choices.hpp"
#include "io/array_file.hpp"
#include "io/file.hpp"
#include "io/json_reader.hpp"
#include "model/transformer.hpp"
#include "support/random_input.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace tfx {

struct PartsCase {
  std::string name;
  ModelSpec spec;
  std::vector<TokenIds> src, tgt, labels;
  std::optional<std::uint32_t> padding;

  Batch batch(const std::vector<TokenIds>& rows) const {
    return padding ? padded_batch(rows, *padding) : ragged_batch(rows);
  }
};

namespace parts {

inline const JsonValue& member(const JsonValue& object, const char* name) {
  const JsonValue* found = object.find(name);
  if (!found) throw std::runtime_error(std::string("cases.json has no ") + name);
  return *found;
}

template <class Value>
Value choice(const JsonValue& object, const std::string& name,
             const std::vector<std::pair<std::string, Value>>& choices) {
  for (const auto& [word, value] : choices)
    if (word == member(object, name.c_str()).text) return value;
  throw std::runtime_error(name + ": " + member(object, name.c_str()).text);
}

inline std::vector<TokenIds> rows(const JsonValue& one, const std::string& name) {
  std::vector<TokenIds> all;
  const JsonValue* found = one.find(name);
  if (!found) return all;
  for (const JsonValue& row : found->items) {
    all.emplace_back();
    for (const JsonValue& id : row.items) all.back().push_back(static_cast<std::uint32_t>(id.integer));
  }
  return all;
}

inline ModelSpec spec_of(const JsonValue& given) {
  const auto size = [](const JsonValue& of, const char* name) { return member(of, name).integer; };
  const auto is = [](const JsonValue& of, const char* name) { return member(of, name).truth; };
  const JsonValue &layer = member(given, "layer"), &norm = member(layer, "norm");
  ModelSpec spec;
  spec.d_model = size(layer, "d_model"), spec.d_ff = size(layer, "d_ff"), spec.heads = size(layer, "heads");
  spec.kv_heads = size(layer, "kv_heads"), spec.head_width = size(layer, "head_width");
  spec.norm.rule = choice<Norm>(norm, "kind",
                                {{"annotated", Norm::annotated}, {"layer", Norm::layer}, {"rms", Norm::rms}});
  spec.norm.placement = choice<NormPlacement>(
      norm, "placement", {{"pre_norm", NormPlacement::pre_norm}, {"post_norm", NormPlacement::post_norm}});
  spec.norm.epsilon = member(norm, "epsilon").number;
  spec.norm.gain = is(norm, "gain"), spec.norm.shift = is(norm, "shift");
  spec.activation = choice(layer, "activation", activation_words());
  spec.gated = is(layer, "gated"), spec.qk_norm = is(layer, "qk_norm"), spec.window = size(layer, "window");
  spec.biases = {is(layer, "qkv_bias"), is(layer, "output_bias"), is(layer, "ff_bias"),
                 is(given, "generator_bias")};
  const std::size_t encoder = size(given, "encoder_layers"), decoder = size(given, "decoder_layers");
  spec.layers = std::max(encoder, decoder);
  spec.stacks = encoder == 0 ? Stacks::decoder : decoder == 0 ? Stacks::encoder : Stacks::both;
  spec.src_vocab = size(given, "src_vocab"), spec.tgt_vocab = size(given, "tgt_vocab");
  spec.max_len = size(given, "max_len");
  spec.positions = choice(given, "positions", position_words());
  spec.pairs = choice(given, "pairs", rotary_words());
  spec.rotary_base = member(given, "rope_base").number;
  spec.scaled_embedding = is(given, "scaled_embedding"), spec.embedding_norm = is(given, "embedding_norm");
  spec.final_norm = is(given, "final_norm"), spec.tied = is(given, "tied");
  return spec;
}

} // namespace parts

inline const std::string parts_folder = std::string(TFX_SOURCE_DIR) + "/data/reference/parts/";

inline std::vector<PartsCase> parts_cases() {
  const std::string path = parts_folder + "cases.json";
  std::vector<PartsCase> cases;
  for (const JsonValue& one : read_json(read_file(path), path).items) {
    PartsCase part{parts::member(one, "name").text, parts::spec_of(parts::member(one, "spec")),
                   parts::rows(one, "src"),         parts::rows(one, "tgt"),
                   parts::rows(one, "labels"),      {}};
    if (const JsonValue& padding = parts::member(one, "padding"); padding.is(JsonValue::Kind::integer))
      part.padding = static_cast<std::uint32_t>(padding.integer);
    cases.push_back(part);
  }
  return cases;
}

/// Any choices at all: of a decoder alone, an encoder-decoder or, where `stacks` says so, an encoder.
inline ModelSpec random_parts(RandomInput& random, Stacks stacks) {
  const auto coin = [&] { return random.coin(); };
  ModelSpec spec;
  spec.stacks = stacks, spec.layers = random.size(1, 2), spec.max_len = 40;
  spec.kv_heads = random.size(1, 2), spec.heads = spec.kv_heads * random.size(1, 3);
  spec.head_width = coin() ? 2 * random.size(1, 3) : 0;
  spec.d_model = 2 * spec.heads * random.size(1, 2), spec.d_ff = coin() ? random.size(1, 7) : 0;
  if (random.coin()) spec.d_ff = random.size(1, 7);
  spec.src_vocab = random.size(3, 6), spec.tgt_vocab = random.size(3, 6);
  constexpr Norm rules[] = {Norm::annotated, Norm::layer, Norm::rms};
  spec.norm = {rules[random.size(0, 2)], coin() ? NormPlacement::pre_norm : NormPlacement::post_norm,
               std::nullopt, coin(), coin()};
  if (coin()) spec.norm.epsilon = 1e-3;
  spec.activation = activation_words()[random.size(0, activation_words().size() - 1)].second;
  spec.gated = coin(), spec.qk_norm = coin(), spec.window = coin() ? random.size(1, 4) : 0;
  spec.biases = {coin(), coin(), coin(), coin()};
  spec.positions = position_words()[random.size(0, position_words().size() - 1)].second;
  spec.pairs = rotary_words()[random.size(0, 1)].second, spec.rotary_base = coin() ? 10000 : 100;
  spec.scaled_embedding = coin(), spec.embedding_norm = coin(), spec.final_norm = coin(), spec.tied = coin();
  return spec;
}

} // namespace tfx
