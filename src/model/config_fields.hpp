#pragma once
// The fields of a model's config.json, as Hugging Face's transformers write it, read one by one: each must be
// of its kind, and what is missing has a default or is refused by its name.

#include "core/architecture.hpp"
#include "io/json_reader.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tfx {

constexpr std::uint64_t largest_size = 1'000'000'000, most_layers = 1000;

/// Fields that are read where a model is counted and where it is computed.
namespace field {
inline constexpr const char *vocabulary = "vocab_size", *key_heads = "num_key_value_heads",
                            *head_width = "head_dim", *window = "sliding_window",
                            *attention_bias = "attention_bias", *hidden_bias = "mlp_bias",
                            *tied = "tie_word_embeddings";
}

/// What the class of a model_type calls its sizes, and what it takes where one is missing.
struct ConfigClass {
  const char *model_type, *layers, *width, *heads, *hidden, *context, *activation, *usual_activation;
  std::uint64_t usual_context, usual_window; ///< usual_window 0: it has none
};

constexpr ConfigClass llama_like(const char* model_type, std::uint64_t context, std::uint64_t window) {
  return {model_type,
          "num_hidden_layers",
          "hidden_size",
          "num_attention_heads",
          "intermediate_size",
          "max_position_embeddings",
          "hidden_act",
          "silu",
          context,
          window};
}
inline constexpr ConfigClass gpt2_class{
    "gpt2",     "n_layer", "n_embd", "n_head", "n_inner", "n_positions", "activation_function",
    "gelu_new", 1024,      0},
    llama_class = llama_like("llama", 2048, 0), mistral_class = llama_like("mistral", 131'072, 4096),
    qwen2_class = llama_like("qwen2", 32'768, 4096), qwen3_class = llama_like("qwen3", 32'768, 4096);

/// A field that the file lacks, or gives as null, and what holds then.
struct TakenDefault {
  std::string field, value; ///< "num_key_value_heads", "32"
};

/// Every function throws Error(bad_data) with the field, its value and what it must be.
class ConfigFields {
public:
  /// Both must outlive it; `file` is the document's name in messages.
  ConfigFields(const JsonValue& document, const std::string& file);

  std::vector<TakenDefault> taken;

  /// Nothing is taken in its place.
  std::uint64_t size(const char* name, std::uint64_t most = largest_size) const;
  /// Nothing where the field is missing or null.
  std::optional<std::uint64_t> said_size(const char* name) const;
  /// `usual` where the field is missing.
  std::uint64_t size_or(const char* name, std::uint64_t usual);
  /// `usual` where the field is missing, `none` where it is null.
  std::uint64_t size_or_null(const char* name, std::uint64_t usual, std::uint64_t none);
  std::uint64_t size_or_null(const char* name, std::uint64_t usual) {
    return size_or_null(name, usual, usual);
  }
  /// The same where null means that there is no bound: 0.
  std::uint64_t bound_or(const char* name, std::uint64_t usual);

  bool is_missing(const char* name) const { return !document_.find(name); }
  bool is_null(const char* name) const;

  bool flag(const char* name, bool usual);
  /// A number above 0, at most `most`.
  double positive_or(const char* name, double usual, double most);
  double share_or(const char* name, double usual);
  std::string word_or(const char* name, const char* usual);

  /// The activation that the field names.
  Activation activation(const char* name, const char* usual) {
    return activation_of(name, word_or(name, usual));
  }
  Activation activation_of(const char* name, const std::string& word) const;

  /// The member model_type, a text.
  const std::string& model_type() const;

  /// Refuses a part of the model that no family here has.
  void require_absent(const char* name) const;
  [[noreturn]] void refuse_part(const char* name, const JsonValue& value) const;

  [[noreturn]] void refuse(const Message& what) const;
  [[noreturn]] void refuse_value(const char* name, const JsonValue& value, const Message& wanted) const;

  const JsonValue* find(const char* name) const { return document_.find(name); }

private:
  std::uint64_t whole(const char* name, const JsonValue& value, std::uint64_t most) const;
  std::uint64_t take(const char* name, std::uint64_t value);

  const JsonValue& document_;
  const std::string& file_;
};

} // namespace tfx
