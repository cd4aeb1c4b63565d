#include "architecture/config_file.hpp"

#include "core/error.hpp"
#include "io/message.hpp"
#include "model/config_fields.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace tfx::params {

namespace {

using Kind = JsonValue::Kind;

std::string in_a_row(const std::vector<std::string>& words) {
  std::string row;
  for (const std::string& word : words) row += (row.empty() ? "" : ", ") + word;
  return row;
}

/// FLOP a cell.
std::uint64_t steps_of(Activation activation) {
  switch (activation) {
  case Activation::relu:
  case Activation::squared_relu: return relu_steps;
  case Activation::gelu: return gelu_with_erf;
  case Activation::gelu_tanh: return gelu_with_tanh;
  case Activation::silu: return silu_steps;
  }
  return 0; // coverage: there is no other activation
}

std::uint64_t even_width(const ConfigFields& fields, const ModelShape& s) {
  if (s.d_model % s.heads == 0) return s.d_model / s.heads;
  fields.refuse(
      said("{heads} heads do not divide a width of {width}", {{"heads", s.heads}, {"width", s.d_model}}));
}

void set_head_width(ModelShape& s, std::uint64_t width) {
  s.head_width = s.heads * width == s.d_model ? 0 : width;
}

/// head_dim, else the width shared out evenly.
void read_head_width(ConfigFields& f, ModelShape& s) {
  const bool is_said = !f.is_missing(field::head_width) && !f.is_null(field::head_width);
  set_head_width(s, f.size_or_null(field::head_width, is_said ? 1 : even_width(f, s)));
}

void set_key_heads(const ConfigFields& fields, ModelShape& s, std::uint64_t heads) {
  if (s.heads % heads != 0)
    fields.refuse(said("{heads} heads cannot share {kv_heads} heads of keys and values evenly",
                       {{"heads", s.heads}, {"kv_heads", heads}}));
  s.kv_heads = heads == s.heads ? 0 : heads;
}

// What each family's class reads besides layers, width, heads and vocabulary, and its defaults.

void read_gpt2(ConfigFields& f, ModelShape& s) {
  even_width(f, s);
  s.d_ff = f.size_or_null(gpt2_class.hidden, 4 * s.d_model);
  s.context = f.size(gpt2_class.context);
  s.activation = steps_of(f.activation(gpt2_class.activation, gpt2_class.usual_activation));
}

void read_opt(ConfigFields& f, ModelShape& s) {
  even_width(f, s);
  s.d_ff = f.size("ffn_dim"), s.context = f.size("max_position_embeddings");
  s.embedding_width = f.size_or_null("word_embed_proj_dim", s.d_model);
  if (s.embedding_width == s.d_model) s.embedding_width = 0;
  s.activation = steps_of(f.activation("activation_function", "relu"));
  s.biases.queries = s.biases.output = s.biases.feed_forward = f.flag("enable_bias", true);
  s.norm_parameters = f.flag("layer_norm_elementwise_affine", true);
  const bool norm_first = f.flag("do_layer_norm_before", true),
             removed = f.flag("_remove_final_layer_norm", false);
  s.final_norm = norm_first && !removed;
}

void read_gpt_neox(ConfigFields& f, ModelShape& s) {
  const std::uint64_t width = even_width(f, s);
  s.d_ff = f.size("intermediate_size"), s.context = f.size_or("max_position_embeddings", 2048);
  s.activation = steps_of(f.activation("hidden_act", "gelu"));
  s.biases.queries = s.biases.output = f.flag(field::attention_bias, true);
  s.rotated = static_cast<std::uint64_t>(static_cast<double>(width) * f.share_or("rotary_pct", 0.25));
}

/// What Llama's class has and those that are made after it, with so many heads of keys where none is said.
void read_llama_like(ConfigFields& f, ModelShape& s, const ConfigClass& of, std::uint64_t key_heads) {
  s.d_ff = f.size(of.hidden), s.context = f.size_or(of.context, of.usual_context);
  set_key_heads(f, s, f.size_or_null(field::key_heads, key_heads, s.heads));
  read_head_width(f, s);
  s.activation = steps_of(f.activation(of.activation, of.usual_activation));
}

void read_llama(ConfigFields& f, ModelShape& s) {
  read_llama_like(f, s, llama_class, s.heads);
  s.biases.queries = s.biases.output = f.flag(field::attention_bias, false);
  s.biases.feed_forward = f.flag(field::hidden_bias, false);
}

void read_mistral(ConfigFields& f, ModelShape& s) {
  read_llama_like(f, s, mistral_class, 8);
  s.window = f.bound_or(field::window, mistral_class.usual_window);
}

void read_qwen2(ConfigFields& f, ModelShape& s) {
  read_llama_like(f, s, qwen2_class, 32);
  s.biases.queries = true;
}

void read_gemma(ConfigFields& f, ModelShape& s) {
  s.d_ff = f.size("intermediate_size"), s.context = f.size_or("max_position_embeddings", 8192);
  set_key_heads(f, s, f.size_or(field::key_heads, 16));
  set_head_width(s, f.size_or(field::head_width, 256));
  s.activation = steps_of(f.activation("hidden_activation", "gelu_pytorch_tanh"));
  s.biases.queries = s.biases.output = f.flag(field::attention_bias, false);
  s.scaled_embeddings = true;
}

void read_phi(ConfigFields& f, ModelShape& s) {
  const std::uint64_t width = even_width(f, s);
  s.d_ff = f.size("intermediate_size"), s.context = f.size_or("max_position_embeddings", 2048);
  set_key_heads(f, s, f.size_or_null(field::key_heads, s.heads));
  s.activation = steps_of(f.activation("hidden_act", "gelu_new"));
  s.norm_on_heads = f.flag("qk_layernorm", false);
  s.rotated =
      static_cast<std::uint64_t>(static_cast<double>(width) * f.share_or("partial_rotary_factor", 0.5));
}

void read_bert(ConfigFields& f, ModelShape& s) {
  even_width(f, s);
  s.d_ff = f.size("intermediate_size"), s.context = f.size("max_position_embeddings");
  s.segments = f.size_or("type_vocab_size", 2);
  s.activation = steps_of(f.activation("hidden_act", "gelu"));
  if (const std::string kind = f.word_or("position_embedding_type", "absolute"); kind != "absolute")
    f.refuse_part("position_embedding_type", *f.find("position_embedding_type"));
}

void read_roberta(ConfigFields& f, ModelShape& s) {
  constexpr std::uint64_t padding = 2; // rows of the table that no token has
  read_bert(f, s);
  if (s.context <= padding)
    f.refuse(said("{field} is {value}; it must be {wanted}",
                  {{"field", "max_position_embeddings"},
                   {"value", s.context},
                   {"wanted", said("a whole number from {least} on", {{"least", padding + 1}})}}));
  s.context -= padding;
}

void read_t5(ConfigFields& f, ModelShape& s) {
  s.d_ff = f.size("d_ff"), s.context = largest_size; // distances have no end
  s.decoder_layers = f.size_or_null("num_decoder_layers", s.layers);
  if (s.decoder_layers > most_layers)
    f.refuse(said("{field} is {value}; it must be {wanted}",
                  {{"field", "num_decoder_layers"},
                   {"value", s.decoder_layers},
                   {"wanted", said("a whole number from 1 to {most}", {{"most", most_layers}})}}));
  set_head_width(s, f.size_or("d_kv", 64));
  s.buckets = f.size_or("relative_attention_num_buckets", 32);
  const std::string proj = f.word_or("feed_forward_proj", "relu"), gate = "gated-";
  s.gated = proj.starts_with(gate);
  const std::string activation = s.gated ? proj.substr(gate.size()) : proj;
  s.activation =
      proj == "gated-gelu" ? gelu_with_tanh : steps_of(f.activation_of("feed_forward_proj", activation));
}

struct ConfigFamily {
  const char *model_type, *config_class, *counted_as;
  Family family;
  const char *layers, *width, *heads;
  std::optional<bool> tied; ///< where tie_word_embeddings is missing; nothing of models without a head
  void (*read)(ConfigFields&, ModelShape&);
};

constexpr const char *hidden_layers = llama_class.layers, *hidden_size = llama_class.width,
                     *attention_heads = llama_class.heads;

const ConfigFamily config_families[] = {{"gpt2", "GPT2Config", "GPT2LMHeadModel", Family::gpt2,
                                         gpt2_class.layers, gpt2_class.width, gpt2_class.heads, true,
                                         read_gpt2},
                                        {"opt", "OPTConfig", "OPTForCausalLM", Family::opt, hidden_layers,
                                         hidden_size, attention_heads, true, read_opt},
                                        {"gpt_neox", "GPTNeoXConfig", "GPTNeoXForCausalLM", Family::gpt_neox,
                                         hidden_layers, hidden_size, attention_heads, false, read_gpt_neox},
                                        {"llama", "LlamaConfig", "LlamaForCausalLM", Family::llama,
                                         hidden_layers, hidden_size, attention_heads, false, read_llama},
                                        {"mistral", "MistralConfig", "MistralForCausalLM", Family::llama,
                                         hidden_layers, hidden_size, attention_heads, false, read_mistral},
                                        {"qwen2", "Qwen2Config", "Qwen2ForCausalLM", Family::llama,
                                         hidden_layers, hidden_size, attention_heads, false, read_qwen2},
                                        {"gemma", "GemmaConfig", "GemmaForCausalLM", Family::llama,
                                         hidden_layers, hidden_size, attention_heads, true, read_gemma},
                                        {"phi", "PhiConfig", "PhiForCausalLM", Family::phi, hidden_layers,
                                         hidden_size, attention_heads, false, read_phi},
                                        {"bert",
                                         "BertConfig",
                                         "BertModel",
                                         Family::bert,
                                         hidden_layers,
                                         hidden_size,
                                         attention_heads,
                                         {},
                                         read_bert},
                                        {"roberta",
                                         "RobertaConfig",
                                         "RobertaModel",
                                         Family::roberta,
                                         hidden_layers,
                                         hidden_size,
                                         attention_heads,
                                         {},
                                         read_roberta},
                                        {"t5", "T5Config", "T5ForConditionalGeneration", Family::t5,
                                         "num_layers", "d_model", "num_heads", true, read_t5}};

const ConfigFamily& family_in(const ConfigFields& fields, const std::string& file) {
  const std::string& type = fields.model_type();
  for (const ConfigFamily& one : config_families)
    if (type == one.model_type) return one;
  refuse_file(file, said("tfx does not count the model_type {type}", {{"type", in_quotes(type)}}),
              said("it counts {types}", {{"types", in_a_row(known_model_types())}}));
}

/// The first of `architectures`, where it is another class.
std::string other_class(const JsonValue& document, const std::string& counted_as) {
  const JsonValue* classes = document.find("architectures");
  if (!classes || classes->items.empty() || !classes->items[0].is(Kind::text)) return "";
  const std::string& first = classes->items[0].text;
  return first == counted_as ? "" : first;
}

} // namespace

std::vector<std::string> known_model_types() {
  std::vector<std::string> types;
  for (const ConfigFamily& one : config_families) types.emplace_back(one.model_type);
  return types;
}

ConfigFile read_config(const JsonValue& document, const std::string& file) {
  ConfigFields fields(document, file);
  for (const char* part : {"text_config", "add_cross_attention", "pruned_heads"}) fields.require_absent(part);
  const ConfigFamily& family = family_in(fields, file);
  ConfigFile config{family.model_type, family.config_class, family.counted_as};
  config.other_class = other_class(document, family.counted_as);
  const JsonValue* quantized = document.find("quantization_config");
  config.is_quantized = quantized && quantized->is(Kind::object);

  ModelShape& s = config.shape = usual_shape(family.family);
  s.layers = fields.size(family.layers, most_layers);
  s.d_model = fields.size(family.width), s.heads = fields.size(family.heads);
  s.src_vocab = s.tgt_vocab = fields.size(field::vocabulary);
  family.read(fields, s);
  if (family.tied) s.tied = fields.flag(field::tied, *family.tied);
  s.seq = s.tgt_seq = std::min(s.seq, s.context);
  config.defaults = std::move(fields.taken);
  return config;
}

} // namespace tfx::params
