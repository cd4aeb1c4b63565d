#include "io/json_reader.hpp"

#include "core/memory.hpp"
#include "io/limits.hpp"
#include "io/message.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace tfx {

namespace {

/// Event by event: nlohmann's own document would keep the last of two equal keys, and turn −1 into 2⁶⁴ − 1.
class DocumentReader : public nlohmann::json_sax<nlohmann::json> {
public:
  explicit DocumentReader(const std::string& name) : name_(name) {}

  JsonValue document;

  bool null() override { return add({}); }
  bool boolean(bool truth) override {
    JsonValue value{JsonValue::Kind::boolean};
    value.truth = truth;
    return add(std::move(value));
  }
  bool number_unsigned(std::uint64_t number) override {
    JsonValue value{JsonValue::Kind::integer};
    value.integer = number, value.number = static_cast<double>(number);
    return add(std::move(value));
  }
  bool number_integer(std::int64_t number) override {
    return add_number(static_cast<double>(number), std::to_string(number));
  }
  bool number_float(double number, const std::string& written) override {
    return add_number(number, written);
  }
  bool string(std::string& text) override {
    JsonValue value{JsonValue::Kind::text};
    value.text = std::move(text);
    return add(std::move(value));
  }
  bool binary(binary_t&) override { return add({}); } // coverage: not in JSON

  bool start_object(std::size_t) override { return open(JsonValue::Kind::object); }
  bool start_array(std::size_t) override { return open(JsonValue::Kind::list); }
  bool end_array() override {
    open_.pop_back();
    return true;
  }
  bool end_object() override {
    std::vector<std::string_view> keys;
    for (const std::string& key : open_.back()->names) keys.push_back(key);
    std::ranges::sort(keys);
    if (const auto twice = std::ranges::adjacent_find(keys); twice != keys.end())
      refuse(said("the name {name} stands twice in one object", {{"name", in_quotes(*twice)}}));
    open_.pop_back();
    return true;
  }
  bool key(std::string& text) override {
    key_ = std::move(text);
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::json::exception& error) override {
    constexpr int beyond_double = 406;
    const std::size_t byte = position > 0 ? position - 1 : 0;
    if (error.id == beyond_double)
      refuse(said("byte {byte}: a number there is larger than any double", {{"byte", byte}}));
    refuse(said("byte {byte}: the file is not valid JSON", {{"byte", byte}}));
  }

  [[noreturn]] void refuse(const Message& what) const {
    refuse_file(name_, what, said("give the file as it came with its model"));
  }

private:
  bool add_number(double number, std::string written) {
    JsonValue value{JsonValue::Kind::number};
    value.number = number, value.text = std::move(written);
    return add(std::move(value));
  }

  bool add(JsonValue value) {
    place(std::move(value));
    return true;
  }

  bool open(JsonValue::Kind kind) {
    if (open_.size() == max_json_depth)
      refuse(said("lists and objects stand within each other more than {most} deep",
                  {{"most", max_json_depth}}));
    open_.push_back(&place(JsonValue{kind}));
    return true;
  }

  /// Where the value stands. A list or an object does not move while it is open: what is added meanwhile
  /// stands in it.
  JsonValue& place(JsonValue value) {
    if (++count_ > max_json_values)
      refuse(said("the file has more than {most} values", {{"most", max_json_values}}));
    if (open_.empty()) return document = std::move(value);
    JsonValue& parent = *open_.back();
    if (!parent.is(JsonValue::Kind::object)) return parent.items.emplace_back(std::move(value));
    parent.names.push_back(std::move(key_));
    return parent.values.emplace_back(std::move(value));
  }

  const std::string& name_;
  std::size_t count_ = 0;
  std::string key_;
  std::vector<JsonValue*> open_;
};

} // namespace

const JsonValue* JsonValue::find(std::string_view name) const {
  const auto found = std::ranges::find(names, name);
  return found == names.end() ? nullptr : &values[static_cast<std::size_t>(found - names.begin())];
}

JsonValue read_json(std::string_view bytes, const std::string& name) {
  constexpr double a_byte = 3; // beside the values, which are counted, a document takes its texts, and once
                               // more the text that is read
  if (bytes.size() >= worth_asking)
    require_memory(a_byte * static_cast<double>(bytes.size()),
                   said("reading {file}", {{"file", FileName(name)}}));
  DocumentReader reader(name);
  if (const std::size_t at = bytes.find('\0');
      at != std::string_view::npos) // the JSON reader takes NUL for the end
    reader.refuse(said("byte {byte}: the file holds NUL", {{"byte", at}}));
  nlohmann::json::sax_parse(bytes.begin(), bytes.end(), &reader);
  return std::move(reader.document);
}

std::string described(const JsonValue& value) {
  switch (value.kind) {
  case JsonValue::Kind::null: return "null";
  case JsonValue::Kind::boolean: return value.truth ? "true" : "false";
  case JsonValue::Kind::integer: return std::to_string(value.integer);
  case JsonValue::Kind::number: return printable(value.text.substr(0, 40));
  case JsonValue::Kind::text: return in_quotes(value.text);
  case JsonValue::Kind::list: return "[…]";
  case JsonValue::Kind::object: return "{…}";
  }
  return {}; // coverage: each kind has its case
}

} // namespace tfx
