#include "io/json_reader.hpp"

#include "error_of.hpp"
#include "io/limits.hpp"
#include "support/catch.hpp"

#include <limits>

using namespace tfx;

namespace {

JsonValue document(const std::string& text) {
  return read_json(text, "x.json");
}

std::string times(std::size_t count, const std::string& text) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += text;
  return all;
}

} // namespace

TEST_CASE("a document keeps what each value is, in the order of the file", "[io][json_reader]") {
  const JsonValue all = document(R"({"b": [1, -2, 3.5, "x"], "a": {"deep": null}, "t": true, "e": 1e3})");
  REQUIRE(all.names.size() == 4);
  CHECK(all.names[0] == "b");
  const JsonValue& list = all.values[0];
  REQUIRE(list.items.size() == 4);
  CHECK(list.items[0].is(JsonValue::Kind::integer));
  CHECK(list.items[0].integer == 1);
  CHECK(list.items[1].is(JsonValue::Kind::number));
  CHECK(list.items[1].number == -2);
  CHECK(list.items[2].number == 3.5);
  CHECK(list.items[3].text == "x");
  REQUIRE(all.find("a"));
  REQUIRE(all.find("a")->find("deep"));
  CHECK(all.find("a")->find("deep")->is(JsonValue::Kind::null));
  CHECK(all.find("t")->truth);
  CHECK(all.find("e")->is(JsonValue::Kind::number)); // no whole number is written so
  CHECK(all.find("deep") == nullptr);
  CHECK(list.find("b") == nullptr);
}

TEST_CASE("whole numbers are kept up to 64 bits, larger ones as they are written", "[io][json_reader]") {
  CHECK(document("18446744073709551615").integer == std::numeric_limits<std::uint64_t>::max());
  const JsonValue larger = document("18446744073709551616");
  CHECK(larger.is(JsonValue::Kind::number));
  CHECK(described(larger) == "18446744073709551616");
}

TEST_CASE("a byte order mark may stand before the document", "[io][json_reader]") {
  CHECK(document("\xEF\xBB\xBF{\"a\":1}").find("a")->integer == 1);
}

TEST_CASE("what a message says of a value fits into it", "[io][json_reader]") {
  const std::pair<const char*, const char*> values[] = {
      {"null", "null"}, {"false", "false"}, {"12", "12"},
      {"-1", "-1"},     {"32.0", "32.0"},   {"[1]", "[…]"},
      {"{}", "{…}"},    {"\"a\"", "\"a\""}, {"\"\\u001b\"", "\"\\x1b\""}};
  for (const auto& [text, said] : values) CHECK(described(document(text)) == said);
  CHECK(described(document("\"" + std::string(1000, 'a') + "\"")).size() < 80);
  CHECK(described(document("0." + std::string(1000, '1'))).size() < 80);
}

TEST_CASE("hostile JSON is refused with what is wrong", "[io][json_reader]") {
  const std::pair<std::string, std::string> cases[] = {
      {"", "byte 0: the file is not valid JSON"},
      {"{\"a\":", "the file is not valid JSON"},
      {"{\"a\":1} x", "byte 8: the file is not valid JSON"},
      {"{\"a\":1,}", "byte 7: the file is not valid JSON"},
      {"{\"a\":NaN}", "the file is not valid JSON"},
      {"{\"a\":\"\xff\"}", "the file is not valid JSON"},
      {std::string("{\"a\":1}\0{", 9), "byte 7: the file holds NUL"},
      {"{\"a\":1e400}", "a number there is larger than any double"},
      {"{\"a\":{\"b\":1,\"c\":2,\"b\":3}}", "the name \"b\" stands twice in one object"},
      {"{\"a\":1,\"\\u0061\":2}", "the name \"a\" stands twice"},
      {times(65, "["), "within each other more than 64 deep"},
      {times(100'000, "{\"a\":"), "within each other more than 64 deep"},
      {"[" + times(100'000, "0,") + "0]", "the file has more than 100000 values"}};
  for (const auto& [text, part] : cases) {
    INFO(text.substr(0, 60));
    check_error(ErrorKind::bad_data, part, [&, bytes = text] { document(bytes); });
  }
  CHECK_NOTHROW(document(times(64, "[") + times(64, "]")));
  CHECK_NOTHROW(document("{\"a\":{\"b\":1},\"b\":2}")); // one name in two objects
}

TEST_CASE("a document that is long enough to ask for memory is read", "[io]") {
  CHECK(document(std::string(worth_asking, ' ') + "7").integer == 7);
}
