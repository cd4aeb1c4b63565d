#include "model/config_fields.hpp"

#include "core/error.hpp"
#include "io/message.hpp"
#include "text/names.hpp"

#include <fmt/format.h>

#include <limits>

namespace tfx {

using Kind = JsonValue::Kind;

ConfigFields::ConfigFields(const JsonValue& document, const std::string& file)
    : document_(document), file_(file) {
  if (!document.is(Kind::object)) refuse(said("the file is no JSON object"));
}

std::uint64_t ConfigFields::size(const char* name, std::uint64_t most) const {
  if (const JsonValue* value = document_.find(name)) return whole(name, *value, most);
  refuse(said("{field} is missing, and nothing is taken in its place", {{"field", name}}));
}

std::optional<std::uint64_t> ConfigFields::said_size(const char* name) const {
  const JsonValue* value = document_.find(name);
  if (!value || value->is(Kind::null)) return std::nullopt;
  return whole(name, *value, largest_size);
}

std::uint64_t ConfigFields::size_or(const char* name, std::uint64_t usual) {
  if (const JsonValue* value = document_.find(name)) return whole(name, *value, largest_size);
  return take(name, usual);
}

std::uint64_t ConfigFields::size_or_null(const char* name, std::uint64_t usual, std::uint64_t none) {
  return is_null(name) ? take(name, none) : size_or(name, usual);
}

std::uint64_t ConfigFields::bound_or(const char* name, std::uint64_t usual) {
  return is_null(name) ? 0 : size_or(name, usual);
}

bool ConfigFields::is_null(const char* name) const {
  const JsonValue* value = document_.find(name);
  return value && value->is(Kind::null);
}

bool ConfigFields::flag(const char* name, bool usual) {
  const JsonValue* value = document_.find(name);
  if (!value) {
    taken.push_back({name, usual ? "true" : "false"});
    return usual;
  }
  if (!value->is(Kind::boolean)) refuse_value(name, *value, said("true or false"));
  return value->truth;
}

double ConfigFields::positive_or(const char* name, double usual, double most) {
  const JsonValue* value = document_.find(name);
  if (!value) {
    taken.push_back({name, fmt::format("{}", usual)});
    return usual;
  }
  const bool is_number = value->is(Kind::integer) || value->is(Kind::number);
  if (!is_number || !(value->number > 0 && value->number <= most))
    refuse_value(name, *value, said("a number above 0, at most {most}", {{"most", fmt::format("{}", most)}}));
  return value->number;
}

double ConfigFields::share_or(const char* name, double usual) {
  return positive_or(name, usual, 1);
}

std::string ConfigFields::word_or(const char* name, const char* usual) {
  const JsonValue* value = document_.find(name);
  if (!value || value->is(Kind::null)) {
    taken.push_back({name, usual});
    return usual;
  }
  if (!value->is(Kind::text)) refuse_value(name, *value, said("a text"));
  return value->text;
}

Activation ConfigFields::activation_of(const char* name, const std::string& word) const {
  static const Choices<Activation> known{
      {"relu", Activation::relu},           {"gelu", Activation::gelu},
      {"gelu_python", Activation::gelu},    {"gelu_new", Activation::gelu_tanh},
      {"gelu_fast", Activation::gelu_tanh}, {"gelu_pytorch_tanh", Activation::gelu_tanh},
      {"relu2", Activation::squared_relu},  {"silu", Activation::silu},
      {"swish", Activation::silu}};
  std::vector<std::string> words;
  for (const auto& [one, activation] : known) {
    if (one == word) return activation;
    words.push_back(one);
  }
  refuse(said("{field} is {value}; it must be {wanted}",
              {{"field", name},
               {"value", in_quotes(word)},
               {"wanted", said("one of {words}", {{"words", join(words)}})}}));
}

const std::string& ConfigFields::model_type() const {
  const JsonValue* type = document_.find("model_type");
  if (!type) refuse(said("the file has no model_type, which names the model's family"));
  if (!type->is(Kind::text)) refuse_value("model_type", *type, said("a text"));
  return type->text;
}

void ConfigFields::require_absent(const char* name) const {
  const JsonValue* value = document_.find(name);
  if (!value || value->is(Kind::null) || (value->is(Kind::boolean) && !value->truth) ||
      (value->is(Kind::object) && value->names.empty()))
    return;
  refuse_part(name, *value);
}

void ConfigFields::refuse_part(const char* name, const JsonValue& value) const {
  refuse(
      said("{field} is {value}: tfx does not know a model with such a part",
           {{"field", printable(name)}, {"value", described(value)}})); // the file's own name may be refused
}

void ConfigFields::refuse(const Message& what) const {
  refuse_file(file_, what, said("give config.json as it came with its model"));
}

void ConfigFields::refuse_value(const char* name, const JsonValue& value, const Message& wanted) const {
  refuse(said("{field} is {value}; it must be {wanted}",
              {{"field", name}, {"value", described(value)}, {"wanted", wanted}}));
}

std::uint64_t ConfigFields::whole(const char* name, const JsonValue& value, std::uint64_t most) const {
  if (value.is(Kind::integer) && value.integer >= 1 && value.integer <= most) return value.integer;
  refuse_value(name, value, said("a whole number from 1 to {most}", {{"most", most}}));
}

std::uint64_t ConfigFields::take(const char* name, std::uint64_t value) {
  taken.push_back({name, std::to_string(value)});
  return value;
}

} // namespace tfx
