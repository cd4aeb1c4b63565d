#include "model/config_style.hpp"

#include "core/error.hpp"
#include "io/file.hpp"
#include "io/foreign_file.hpp"
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

constexpr const ConfigClass* computed_classes[] = {&gpt2_class, &llama_class, &mistral_class, &qwen2_class,
                                                   &qwen3_class};

class StyleReader {
public:
  StyleReader(const JsonValue& document, const std::string& file) : f_(document, file), file_(file) {}

  GivenStyle read() {
    const std::string& type = f_.model_type();
    const auto found = std::ranges::find_if(computed_classes,
                                            [&](const ConfigClass* one) { return type == one->model_type; });
    if (found == std::end(computed_classes))
      refuse_file(file_, said("tfx does not compute the model_type {type}", {{"type", in_quotes(type)}}),
                  said("it computes {types}", {{"types", join(computed_model_types())}}));
    for (const char* part :
         {"text_config", "add_cross_attention", "pruned_heads", "quantization_config", "alibi",
          "use_parallel_residual", "parallel_residual", "parallel_attn", "clip_qkv", "attn_logit_softcapping",
          "final_logit_softcapping", "scale_attn_by_inverse_layer_idx"})
      f_.require_absent(part);
    const ConfigClass& of = **found;
    const bool is_gpt2 = &of == &gpt2_class;
    style_.config = file_, style_.family = is_gpt2 ? NameFamily::gpt2 : NameFamily::llama;
    style_.heads = f_.said_size(of.heads);
    style_.activation = f_.activation(of.activation, of.usual_activation);
    claim(of.layers, [](const ModelSpec& m, const FileScheme&) { return std::to_string(m.layers); });
    claim(of.width, [](const ModelSpec& m, const FileScheme&) { return std::to_string(m.d_model); });
    claim(of.hidden, [](const ModelSpec& m, const FileScheme&) { return std::to_string(m.d_ff); });
    claim(field::vocabulary,
          [](const ModelSpec& m, const FileScheme&) { return std::to_string(m.tgt_vocab); });
    is_gpt2 ? gpt2(of) : llama(of);
    ties();
    return std::move(style_);
  }

private:
  void gpt2(const ConfigClass& of) {
    if (const JsonValue* scaled = f_.find("scale_attn_weights"); !f_.flag("scale_attn_weights", true))
      f_.refuse_part("scale_attn_weights", *scaled);
    style_.epsilon = f_.positive_or("layer_norm_epsilon", 1e-5, largest_epsilon);
    claim(of.context, [](const ModelSpec& m, const FileScheme&) { return std::to_string(m.max_len); });
  }

  void llama(const ConfigClass& of) {
    style_.epsilon = f_.positive_or("rms_norm_eps", 1e-6, largest_epsilon);
    style_.max_len = f_.size_or(of.context, of.usual_context);
    style_.window = window(of);
    rotary();
    claim(field::key_heads,
          [](const ModelSpec& m, const FileScheme&) { return std::to_string(m.key_heads()); });
    claim(field::head_width,
          [](const ModelSpec& m, const FileScheme&) { return std::to_string(m.width_of_head()); });
    claim_flag(field::attention_bias, [](const ModelSpec& m, const FileScheme&) {
      const std::string queries = yes_or_no(m.biases.queries), output = yes_or_no(m.biases.output);
      return queries == output ? queries : "q_proj " + queries + ", o_proj " + output;
    });
    claim_flag(field::hidden_bias,
               [](const ModelSpec& m, const FileScheme&) { return yes_or_no(m.biases.feed_forward); });
  }

  /// Their base; a factor on them, or on some of a head's numbers only, is not computed.
  void rotary() {
    for (const char* name : {"rope_scaling", "rope_parameters"})
      if (const JsonValue* given = f_.find(name); given && !given->is(JsonValue::Kind::null))
        rotary(name, *given);
    rotated_in_part(f_);
    if (!style_.rotary_base) style_.rotary_base = f_.positive_or("rope_theta", 10000, largest_base);
  }

  void rotary(const char* name, const JsonValue& given) {
    if (!given.is(JsonValue::Kind::object)) f_.refuse_part(name, given);
    ConfigFields inside(given, file_);
    rotated_in_part(inside);
    for (std::size_t i = 0; i < given.names.size(); ++i) {
      const std::string& key = given.names[i];
      const JsonValue& value = given.values[i];
      if (key == "rope_theta") style_.rotary_base = inside.positive_or("rope_theta", 10000, largest_base);
      const bool is_type = key == "rope_type" || key == "type";
      if (is_type ? value.text != "default" : key != "rope_theta" && key != partial)
        f_.refuse_part(is_type ? name : key.c_str(), value);
    }
  }

  static void rotated_in_part(ConfigFields& fields) {
    if (fields.share_or(partial, 1) != 1) fields.refuse_part(partial, *fields.find(partial));
  }

  /// Of all layers; 0 where no layer has one.
  std::uint64_t window(const ConfigClass& of) {
    if (of.usual_window == 0) return f_.require_absent(field::window), 0;
    const bool is_mistral = &of == &mistral_class,
               is_used = is_mistral || f_.flag("use_sliding_window", false);
    const std::uint64_t width = f_.bound_or(field::window, of.usual_window);
    const std::optional<bool> all = windows_by_layer();
    if (!is_used || all == false) return 0;
    return all || is_mistral || first_with_window(of) == 0 ? width : 0;
  }

  /// Whether all layers have a window, or none, where layer_types says it; in some only it is refused.
  std::optional<bool> windows_by_layer() {
    const JsonValue* types = f_.find("layer_types");
    if (!types || types->is(JsonValue::Kind::null)) return std::nullopt;
    const auto count = [&](const char* word) {
      return std::ranges::count_if(types->items, [&](const JsonValue& one) {
        return one.is(JsonValue::Kind::text) && one.text == word;
      });
    };
    const auto sliding = count("sliding_attention"), all = std::ssize(types->items);
    if (all == 0 || sliding + count("full_attention") != all)
      f_.refuse_value(
          "layer_types", *types,
          said("a list of {words}", {{"words", std::string("full_attention, sliding_attention")}}));
    if (sliding != 0 && sliding != all) f_.refuse_part("layer_types", *types);
    return sliding != 0;
  }

  static constexpr double largest_epsilon = 1, largest_base = 1e30;
  static constexpr const char* partial = "partial_rotary_factor";

  /// The layer from which on there are windows: the first, or none.
  std::uint64_t first_with_window(const ConfigClass& of) {
    constexpr const char* name = "max_window_layers";
    const JsonValue* value = f_.find(name);
    if (value && !value->is(JsonValue::Kind::integer))
      f_.refuse_value(name, *value, said("a whole number from {least} on", {{"least", 0}}));
    const std::uint64_t first = value ? value->integer : 28, layers = f_.size(of.layers, most_layers);
    if (first == 0 || first >= layers) return first;
    if (!value) f_.refuse(said("{field} is missing, and nothing is taken in its place", {{"field", name}}));
    f_.refuse_part(name, *value);
  }

  void ties() {
    const JsonValue* tied = f_.find(field::tied);
    if (!tied || tied->is(JsonValue::Kind::null)) return;
    // Equal tables, both of them there, are as good as tied, whatever is said.
    tied->truth
        ? claim_flag(field::tied, [](const ModelSpec& m, const FileScheme&) { return yes_or_no(m.tied); })
        : claim_flag(field::tied, [](const ModelSpec& m, const FileScheme& scheme) {
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
  for (const ConfigClass* one : computed_classes) types.emplace_back(one->model_type);
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
  return style_in_config(read_json(read_text(file), file), file);
}

} // namespace tfx
