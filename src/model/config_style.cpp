#include "model/config_style.hpp"

#include "core/error.hpp"
#include "io/file.hpp"
#include "io/message.hpp"
#include "model/config_fields.hpp"
#include "text/names.hpp"

#include <algorithm>
#include <filesystem>

namespace tfx {

namespace {

using Shown = std::string (*)(const ModelSpec&, const FileScheme&);

std::string yes_or_no(bool truth) {
  return truth ? "true" : "false";
}

/// What a family's class takes where a field is missing.
struct ConfigDefaults {
  const char* model_type;
  NameFamily family;
  std::uint64_t context, window; ///< window 0: it has none
};
constexpr ConfigDefaults config_defaults[] = {{"gpt2", NameFamily::gpt2, 1024, 0},
                                              {"llama", NameFamily::llama, 2048, 0},
                                              {"mistral", NameFamily::llama, 131'072, 4096},
                                              {"qwen2", NameFamily::llama, 32'768, 4096},
                                              {"qwen3", NameFamily::llama, 32'768, 4096}};

class StyleReader {
public:
  StyleReader(const JsonValue& document, const std::string& file) : f_(document, file), file_(file) {}

  GivenStyle read() {
    const std::string& type = f_.model_type();
    const auto* defaults = std::ranges::find(config_defaults, type, &ConfigDefaults::model_type);
    if (defaults == std::end(config_defaults))
      refuse_file(file_, said("tfx does not compute the model_type {type}", {{"type", in_quotes(type)}}),
                  said("it computes {types}", {{"types", join(computed_model_types())}}));
    for (const char* part :
         {"text_config", "add_cross_attention", "pruned_heads", "quantization_config", "alibi",
          "use_parallel_residual", "parallel_residual", "parallel_attn", "clip_qkv", "attn_logit_softcapping",
          "final_logit_softcapping", "scale_attn_by_inverse_layer_idx"})
      f_.require_absent(part);
    style_.config = file_, style_.family = defaults->family;
    claim("vocab_size", [](const ModelSpec& m, const FileScheme&) { return std::to_string(m.tgt_vocab); });
    defaults->family == NameFamily::gpt2 ? gpt2() : llama(*defaults);
    ties();
    return std::move(style_);
  }

private:
  void gpt2() {
    if (const JsonValue* scaled = f_.find("scale_attn_weights"); !f_.flag("scale_attn_weights", true))
      f_.refuse_part("scale_attn_weights", *scaled);
    style_.heads = f_.said_size("n_head");
    style_.activation = f_.activation("activation_function", "gelu_new");
    style_.epsilon = f_.positive_or("layer_norm_epsilon", 1e-5, largest_epsilon);
    claim("n_layer", [](const ModelSpec& m, const FileScheme&) { return std::to_string(m.layers); });
    claim("n_embd", [](const ModelSpec& m, const FileScheme&) { return std::to_string(m.d_model); });
    claim("n_inner", [](const ModelSpec& m, const FileScheme&) { return std::to_string(m.d_ff); });
    claim("n_positions", [](const ModelSpec& m, const FileScheme&) { return std::to_string(m.max_len); });
  }

  void llama(const ConfigDefaults& defaults) {
    style_.heads = f_.said_size("num_attention_heads");
    style_.activation = f_.activation("hidden_act", "silu");
    style_.epsilon = f_.positive_or("rms_norm_eps", 1e-6, largest_epsilon);
    style_.max_len = f_.size_or("max_position_embeddings", defaults.context);
    style_.window = window(defaults);
    rotary();
    claim("num_hidden_layers",
          [](const ModelSpec& m, const FileScheme&) { return std::to_string(m.layers); });
    claim("hidden_size", [](const ModelSpec& m, const FileScheme&) { return std::to_string(m.d_model); });
    claim("intermediate_size", [](const ModelSpec& m, const FileScheme&) { return std::to_string(m.d_ff); });
    claim("num_key_value_heads",
          [](const ModelSpec& m, const FileScheme&) { return std::to_string(m.key_heads()); });
    claim("head_dim",
          [](const ModelSpec& m, const FileScheme&) { return std::to_string(m.width_of_head()); });
    claim_flag("attention_bias",
               [](const ModelSpec& m, const FileScheme&) { return yes_or_no(m.biases.queries); });
    claim_flag("mlp_bias",
               [](const ModelSpec& m, const FileScheme&) { return yes_or_no(m.biases.feed_forward); });
  }

  /// Their base; a factor on them, or on some of a head's numbers only, is not computed.
  void rotary() {
    for (const char* name : {"rope_scaling", "rope_parameters"}) {
      const JsonValue* given = f_.find(name);
      if (!given || given->is(JsonValue::Kind::null)) continue;
      const JsonValue* type = given->find("rope_type");
      if (!type) type = given->find("type");
      if (!given->is(JsonValue::Kind::object) || (type && type->text != "default") || given->find("factor"))
        f_.refuse_part(name, type ? *type : *given);
      if (const JsonValue* base = given->find("rope_theta")) {
        if (!(base->number > 0)) f_.refuse_value("rope_theta", *base, said("a number above 0"));
        style_.rotary_base = base->number;
      }
    }
    if (const JsonValue* share = f_.find("partial_rotary_factor");
        f_.share_or("partial_rotary_factor", 1) != 1)
      f_.refuse_part("partial_rotary_factor", *share);
    if (!style_.rotary_base) style_.rotary_base = f_.positive_or("rope_theta", 10000, largest_base);
  }

  /// Of all layers; 0 where no layer has one.
  std::uint64_t window(const ConfigDefaults& defaults) {
    if (defaults.window == 0) return f_.require_absent("sliding_window"), 0;
    const std::string type = defaults.model_type;
    const bool is_used = type == "mistral" || f_.flag("use_sliding_window", false);
    const std::uint64_t width = f_.bound_or("sliding_window", defaults.window);
    std::uint64_t from = type == "mistral" || !is_used ? 0 : first_with_window();
    if (const JsonValue* types = f_.find("layer_types"); types && !types->items.empty()) {
      const auto slides = [](const JsonValue& one) { return one.text == "sliding_attention"; };
      const auto some = std::ranges::count_if(types->items, slides);
      if (some == 0) return 0;
      if (some != std::ssize(types->items)) f_.refuse_part("layer_types", *types);
      from = 0;
    }
    if (!is_used || from == no_layer) return 0;
    return width;
  }

  static constexpr std::uint64_t no_layer = ~std::uint64_t{0};
  static constexpr double largest_epsilon = 1, largest_base = 1e30;

  /// The layer from which on there are windows: of the first, or of none.
  std::uint64_t first_with_window() {
    const JsonValue* value = f_.find("max_window_layers");
    const std::uint64_t layers = f_.size("num_hidden_layers", most_layers);
    const std::uint64_t first = value && value->is(JsonValue::Kind::integer) ? value->integer : 28;
    if (first == 0) return 0;
    if (first >= layers) return no_layer;
    if (!value)
      f_.refuse(
          said("{field} is missing, and nothing is taken in its place", {{"field", "max_window_layers"}}));
    f_.refuse_part("max_window_layers", *value);
  }

  void ties() {
    const JsonValue* tied = f_.find("tie_word_embeddings");
    if (!tied || tied->is(JsonValue::Kind::null)) return;
    // Equal tables, both of them there, are as good as tied, whatever is said.
    tied->truth ? claim_flag("tie_word_embeddings",
                             [](const ModelSpec& m, const FileScheme&) { return yes_or_no(m.tied); })
                : claim_flag("tie_word_embeddings", [](const ModelSpec& m, const FileScheme& scheme) {
                    return yes_or_no(m.tied && !scheme.head);
                  });
  }

  void claim(const char* name, Shown shown) {
    if (const auto said = f_.said_size(name)) style_.claims.push_back({name, std::to_string(*said), shown});
  }
  void claim_flag(const char* name, Shown shown) {
    if (!f_.is_missing(name) && !f_.is_null(name))
      style_.claims.push_back({name, yes_or_no(f_.flag(name, false)), shown});
  }

  ConfigFields f_;
  const std::string& file_;
  GivenStyle style_;
};

} // namespace

std::vector<std::string> computed_model_types() {
  std::vector<std::string> types;
  for (const ConfigDefaults& one : config_defaults) types.emplace_back(one.model_type);
  return types;
}

GivenStyle style_in_config(const JsonValue& document, const std::string& file) {
  return StyleReader(document, file).read();
}

GivenStyle style_in_config(const std::string& path) {
  std::error_code error;
  const std::string file = std::filesystem::is_directory(path, error)
                               ? (std::filesystem::path(path) / "config.json").string()
                               : path;
  return style_in_config(read_json(read_file(file), file), file);
}

} // namespace tfx
