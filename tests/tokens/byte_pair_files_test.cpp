#include "tokens/byte_pair_files.hpp"

#include "io/error_of.hpp"
#include "support/catch.hpp"
#include "text/byte_pair_training.hpp"

using namespace tfx;

namespace {

const std::vector<Merge> merges{{"l", "o"}, {" ", "lo"}, {"\xE6", "\x88"}};

std::string vocabulary() {
  return write_vocabulary(BytePairs(merges).tokens());
}

std::string with(std::string text, const std::string& old, const std::string& fresh) {
  const std::size_t at = text.find(old);
  REQUIRE(at != std::string::npos);
  return text.replace(at, old.size(), fresh);
}

} // namespace

TEST_CASE("merges are written as GPT-2's, and read again", "[bpe]") {
  CHECK(write_merges(merges) == "#version: 0.2\nl o\nĠ lo\næ Ī\n");
  CHECK(read_merges(write_merges(merges), "x") == merges);
  CHECK(read_merges("l o\r\nĠ lo\r\n\r\n", "x") == std::vector<Merge>{{"l", "o"}, {" ", "lo"}});
  CHECK(read_merges("# v\n", "x") == std::vector<Merge>{{"#", "v"}}); // a merge, no heading
  CHECK(read_merges("a b", "x").size() == 1);
  CHECK(read_merges("\uFEFF" + write_merges(merges), "x") == merges); // a byte order mark is no merge
}

TEST_CASE("a vocabulary is written as GPT-2's, and read again", "[bpe]") {
  const std::string text = vocabulary();
  CHECK(text.find("\"lo\": 256") != std::string::npos);
  CHECK(text.find("\"Ġlo\": 257") != std::string::npos);
  CHECK(read_vocabulary(text, merges, "x") == BytePairs(merges).tokens());
  const auto tokens =
      read_vocabulary(with(text, "\"Ġlo\": 257", R"("<|endoftext|>":259,"\u0120lo":257)"), merges, "x");
  CHECK(tokens.size() == 260);
  CHECK(tokens[259] == "<|endoftext|>");
  CHECK(tokens[257] == " lo");
}

TEST_CASE("merges that are none are refused with their line", "[bpe]") {
  const auto refused = [](const std::string& what, const std::string& bytes) {
    INFO(bytes);
    CHECK(std::string(check_error(ErrorKind::bad_data, what, [&] { read_merges(bytes, "m.txt"); }).what())
              .starts_with("m.txt: "));
  };
  refused("the file holds no merge", "");
  refused("the file holds no merge", "#version: 0.2\n");
  refused("line 2: \"lo\" is not two tokens", "l o\nlo\n");
  refused("line 1: \"l o w\" is not two tokens", "l o w\n");
  refused("line 1: \" o\" is not two tokens", " o\n");
  refused("line 1: \"l \" is not two tokens", "l \n");
  refused("line 2: no line before it makes the token \"lo\"", "l e\nlo w\n");
  refused("line 1: no line before it makes the token \"lo\"", "w lo\n");
  refused("line 3: the merge \"l o\" stands twice", "l o\nw e\nl o\n");
  refused("line 2: a blank line stands between the merges", "l o\n\nw e\n");
  refused("line 1: \"我\" holds a character that stands for no byte", "我 o\n");
  refused("line 1: \"\\xff\" holds a character that stands for no byte", "\xFF o\n");
  refused("line 2: no line before it makes the token \"#version:\"", "l o\n#version: 0.2\n");
  refused("line 1: no line before it makes the token \"ab\"", "ab ab\na b\n"); // of itself
  refused("line 1: no line before it makes the token \"bc\"", "a bc\nb c\n");  // of what comes later
  refused("line 2: \"w\\te\" is not two tokens", "l o\nw\te\n");
  refused("line 1: \"l o\\rw e\" is not two tokens", "l o\rw e\r");
  refused("line 1: \"o\\x00\" holds", std::string("l o\0\n", 5));
}

TEST_CASE("a line of merges may be as long as it likes: its message is short, its memory a few times it",
          "[bpe]") {
  const std::string longest(5'000'000, 'x');
  for (const std::string& bytes : {longest, longest + " " + longest, "x x\n" + longest + " x\n"}) {
    const Error error =
        check_error(ErrorKind::bad_data, "m.txt: line ", [&] { read_merges(bytes, "m.txt"); });
    CHECK(std::string(error.what()).size() < 400);
  }
  std::string doubling; // each makes a token twice as long: the file holds them, so it is no shorter
  for (std::string token = "x"; token.size() < 500'000; token += token)
    doubling += token + " " + token + "\n";
  const std::vector<Merge> made = read_merges(doubling, "m.txt");
  CHECK(made.size() == 19);
  CHECK(BytePairs(made).encode(std::string(1 << 19, 'x')).size() == 1);
}

TEST_CASE("a vocabulary that is none is refused", "[bpe]") {
  const auto refused = [](const std::string& what, const std::string& bytes) {
    INFO(bytes);
    CHECK(
        std::string(
            check_error(ErrorKind::bad_data, what, [&] { read_vocabulary(bytes, merges, "v.json"); }).what())
            .starts_with("v.json: "));
  };
  const std::string text = vocabulary();
  refused("byte 0: the file is not valid JSON", "");
  refused("the file is not valid JSON", text.substr(0, 500));
  refused("the file is not valid JSON", text + "x");
  for (const char* other : {"[]", "1", "\"a\"", "null", "true", "-1", "1.5"})
    refused("the file is no JSON object of tokens", other);
  refused("has no id", "{}");
  for (const char* value : {"-1", "1.5", "\"256\"", "null", "[256]", "{}", "true", "1e2"})
    refused("the id of the token \"lo\" is no whole number",
            with(text, "\"lo\": 256", std::string("\"lo\":") + value));
  refused("the token \"lo\" stands twice", with(text, "\"lo\": 256", "\"lo\":256,\"lo\":259"));
  refused("the id 255 stands twice", with(text, "\"lo\": 256", "\"lo\":255"));
  refused("no token has the id 256", with(text, "\"lo\": 256", "\"lo\":18446744073709551615"));
  refused("the token \"我\" holds a character", with(text, "\"lo\": 256", "\"我\":256"));
  refused("the token \"\" holds a character", with(text, "\"lo\": 256", "\"\":256"));
  refused("what the merges make, \"lo\", has no id", with(text, "\"lo\": 256", "\"zz\":256"));
  refused("the byte \"!\" has no id", with(text, "\"!\": 0", "\"zz\":0"));
  refused("the token \"lo\" stands twice", with(text, "\"lo\": 256", "\"lo\":256,\"l\\u006f\":259"));
  refused("is no whole number", with(text, "\"lo\": 256", "\"lo\":18446744073709551616"));   // 2⁶⁴
  refused("not valid JSON", with(text, "\"lo\": 256", "\"lo\":1" + std::string(5000, '0'))); // no double
  refused("not valid JSON", with(text, "\"lo\": 256", "\"lo\":0256"));
  refused("not valid JSON", with(text, "\"lo\": 256", R"("\ud83d":256)")); // half a character
  refused("not valid JSON", with(text, "\"lo\": 256", "\"lo\":256,"));
  refused("not valid JSON", text + text);
  refused("the token \"\\x00\" holds", with(text, "\"lo\": 256", R"("\u0000":256)"));
  refused("no token has the id 259", with(text, "\"Ġlo\": 257", "\"Ġlo\":257,\"zz\":260"));
}

TEST_CASE("a vocabulary may be nested as deep and a token be as long as it likes", "[bpe]") {
  constexpr std::size_t deep = 1'000'000;
  std::string objects;
  for (std::size_t i = 0; i < deep; ++i) objects += "{\"a\":";
  for (const std::string& bytes :
       {std::string(deep, '['), std::string(deep, '{'), objects, "{\"a\":" + std::string(deep, '['),
        "{\"" + std::string(deep, 'x') + "\":-1}", "{\"" + std::string(deep, '\x7F') + "\":1}"}) {
    const Error error =
        check_error(ErrorKind::bad_data, "v.json: ", [&] { read_vocabulary(bytes, merges, "v.json"); });
    CHECK(std::string(error.what()).size() < 400);
  }
}

TEST_CASE("an encoding with ids of its own gives them", "[bpe]") {
  std::vector<std::string> tokens = BytePairs(merges).tokens();
  std::swap(tokens[0], tokens[256]);
  const BytePairs pairs(merges, tokens);
  CHECK(pairs.encode("lo!") == std::vector<std::uint32_t>{0, 256});
  CHECK(pairs.decode({0, 256}) == "lo!");
}
