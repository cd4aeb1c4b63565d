#include "text/vocabulary.hpp"

#include "core/error.hpp"
#include "io/error_of.hpp"
#include "support/catch.hpp"
#include "text/byte_pairs.hpp"

using namespace tfx;
using Ids = std::vector<std::uint32_t>;
using Tokens = std::vector<std::string>;
using Unknown = Vocabulary::Unknown;

namespace {

Vocabulary words_of(const Tokens& texts, Unknown unknown = Unknown::refused) {
  return Vocabulary::of_texts(Tokenizer::words, texts, unknown);
}

Vocabulary characters_of(const std::string& text) {
  return Vocabulary::of_texts(Tokenizer::characters, {text}, Unknown::refused);
}

} // namespace

TEST_CASE("a vocabulary holds the special tokens, then the tokens of its texts as they first appear",
          "[text]") {
  CHECK(words_of({"the cat saw", "a cat"}).tokens ==
        Tokens{"<pad>", "<s>", "</s>", "the", "cat", "saw", "a"});
  CHECK(words_of({"b a"}, Unknown::has_a_token).tokens == Tokens{"<pad>", "<s>", "</s>", "<unk>", "b", "a"});
  CHECK(characters_of("三百零三").tokens == Tokens{"<pad>", "<s>", "</s>", "三", "百", "零"});
  CHECK(Vocabulary::of_ids(3).tokens == Tokens{"0", "1", "2"});
  const Vocabulary vocabulary = words_of({"cat"}, Unknown::has_a_token);
  CHECK(vocabulary.id_of("<pad>") == pad_id);
  CHECK(vocabulary.id_of("<s>") == start_id);
  CHECK(vocabulary.id_of("</s>") == end_id);
  CHECK(vocabulary.id_of("<unk>") == unknown_id);
  CHECK(vocabulary.id_of("cat") == 4);
  CHECK(vocabulary.id_of("dog") == std::nullopt);
  CHECK(vocabulary.size() == 5);
}

TEST_CASE("tokens that are too rare are not taken into a vocabulary", "[text]") {
  const auto counted = [](std::size_t min_count) {
    return Vocabulary::of_texts(Tokenizer::words, {"b a b", "c a <s> <s>"}, Unknown::has_a_token, min_count)
        .tokens;
  };
  CHECK(counted(1) == Tokens{"<pad>", "<s>", "</s>", "<unk>", "b", "a", "c"});
  CHECK(counted(2) == Tokens{"<pad>", "<s>", "</s>", "<unk>", "b", "a"});
  CHECK(counted(3) == Tokens{"<pad>", "<s>", "</s>", "<unk>"});
}

TEST_CASE("sentences are encoded with their capitals and decoded as they are printed", "[text]") {
  const auto vocabulary =
      Vocabulary::of_texts(Tokenizer::sentences, {"Copy the cell, then 右键."}, Unknown::has_a_token);
  CHECK(vocabulary.tokens ==
        Tokens{"<pad>", "<s>", "</s>", "<unk>", "⇧", "copy", "the", "cell", ",", "then", "右", "键", "."});
  CHECK(vocabulary.encode("The cell-copy, right?") == Ids{4, 6, 7, 5, 8, 3, 3});
  CHECK(vocabulary.decode({4, 6, 7, 8, 10, 11, 12}) == "The cell, 右键.");
  CHECK(vocabulary.encode("<s> </s>") == Ids{3, 3});
}

TEST_CASE("a text is split into words, code points or ids", "[text]") {
  CHECK(split(" a  b\u3000c\n", Tokenizer::words) == Tokens{"a", "b", "c"});
  CHECK(split(" 我 爱\u3000\n", Tokenizer::characters) ==
        Tokens{"我", " ", "爱"}); // a blank inside is one of them
  CHECK(split("𠀀é", Tokenizer::characters) == Tokens{"𠀀", "é"});
  CHECK(split("1, 2,3  4", Tokenizer::ids) == Tokens{"1", "2", "3", "4"});
  CHECK(split(" \n", Tokenizer::characters).empty());
  for (const Tokenizer tokenizer :
       {Tokenizer::ids, Tokenizer::words, Tokenizer::characters, Tokenizer::sentences, Tokenizer::bpe})
    check_error(ErrorKind::usage, "the text is not UTF-8: unexpected byte \\xff at byte 1",
                [=] { split("a\xff", tokenizer); });
}

TEST_CASE("what is encoded is decoded", "[text]") {
  const Vocabulary words = words_of({"the cat saw"});
  CHECK(words.encode("cat  the\n") == Ids{4, 3});
  CHECK(words.decode({4, 3}) == "cat the");
  const Vocabulary characters = characters_of("三百零五");
  CHECK(characters.encode("五百") == Ids{6, 4});
  CHECK(characters.decode({6, 4}) == "五百");
  const Vocabulary ids = Vocabulary::of_ids(11);
  CHECK(ids.encode("1,2, 10 0") == Ids{1, 2, 10, 0});
  CHECK(ids.decode({1, 2, 10}) == "1 2 10");
  CHECK(words.decode({1, 4, 2, 0}) == "<s> cat </s> <pad>"); // nothing is hidden
  CHECK(words.decode({}).empty());
}

TEST_CASE("a token is looked up in lower case and by the parts between hyphens", "[text]") {
  const Vocabulary numbers = words_of({"twenty one"});
  for (const char* text : {"twenty one", "twenty-one", "Twenty one", "TWENTY-ONE", "Twenty-One"})
    CHECK(numbers.encode(text) == Ids{3, 4});
  CHECK(characters_of("abc").encode("CaB") == Ids{5, 3, 4});
  CHECK(characters_of("é").encode("É") == Ids{3});
  const Vocabulary own = words_of({"Twenty twenty twenty-one one"}); // what is known as it stands stays
  CHECK(own.encode("Twenty twenty twenty-one TWENTY one-Twenty") == Ids{3, 4, 5, 4, 6, 3});
}

TEST_CASE("an unknown token is <unk> where there is one", "[text]") {
  const Vocabulary vocabulary = words_of({"cat"}, Unknown::has_a_token);
  CHECK(vocabulary.encode("cat dog cat-dog - <s>") == Ids{4, 3, 3, 3, 3});
  CHECK(vocabulary.decode({3}) == "<unk>");
}

TEST_CASE("an unknown token is refused with a near miss", "[text]") {
  const Vocabulary vocabulary = words_of({"twenty one", "hundred"});
  const auto refusal = [&](const std::string& text, const std::string& message) {
    return check_error(ErrorKind::usage, message, [&] { vocabulary.encode(text); }).hint().in_english();
  };
  CHECK(refusal("one tweny", "\"tweny\" is not in the vocabulary") == "did you mean \"twenty\"?");
  CHECK(refusal("hundred, one", "\"hundred,\" is not in the vocabulary") == "did you mean \"hundred\"?");
  CHECK(refusal("cat", "\"cat\" is not in the vocabulary") == "the vocabulary has twenty one hundred");
  CHECK(refusal("twenty-two", "\"twenty-two\" is not") == "the vocabulary has twenty one hundred");
  for (const char* special : {"<pad>", "<s>", "</s>"}) // no text says that it ends
    refusal(std::string("one ") + special, std::string("\"") + special + "\" is not in the vocabulary");
  refusal("-", "\"-\" is not in the vocabulary");
  refusal(" \n", "the text holds no token");
}

TEST_CASE("what a message quotes is short and without control characters", "[text]") {
  const Error error = check_error(ErrorKind::usage, "\\x1b[31m",
                                  [] { words_of({"one"}).encode("\x1b[31m" + std::string(1 << 20, 'x')); });
  CHECK(std::string(error.what()).size() < 100);
  CHECK(std::string(error.what()).find('\x1b') == std::string::npos);
  const Vocabulary hostile(Tokenizer::words, {"a\x1b[31m", std::string(5000, 'y'), "z"});
  const std::string hint =
      check_error(ErrorKind::usage, "\"??????\"", [&] { hostile.encode("??????"); }).hint().in_english();
  CHECK(hint.find("a\\x1b[31m") != std::string::npos);
  CHECK(hint.size() < 250);
  CHECK(
      check_error(ErrorKind::usage, "is not in", [&] { hostile.encode("a\x1b[32m"); }).hint().in_english() ==
      "did you mean \"a\\x1b[31m\"?");
}

TEST_CASE("ids beyond the vocabulary are refused both ways", "[text]") {
  const Vocabulary ids = Vocabulary::of_ids(11);
  for (const char* text : {"11", "-1", "01", "1.0", "x", "1;2", "99999999999999999999"})
    check_error(ErrorKind::usage,
                std::string("\"") + text + "\" is no id of the vocabulary, which has 0 … 10",
                [&] { ids.encode(text); });
  check_error(ErrorKind::bad_data, "id 11 is none of a vocabulary of 11", [&] { ids.decode({3, 11}); });
  check_error(ErrorKind::usage, "the vocabulary is empty", [] { Vocabulary().encode("1"); });
}

TEST_CASE("a vocabulary with an empty token or the same one twice is refused", "[text]") {
  const auto make = [](const Tokens& tokens) { return [=] { Vocabulary(Tokenizer::words, tokens); }; };
  check_error(ErrorKind::bad_data, "a token of the vocabulary is empty (id 1)", make({"a", ""}));
  check_error(ErrorKind::bad_data, "the token \"a\\n\" (id 2) stands twice", make({"a\n", "b", "a\n"}));
}

TEST_CASE("tokenizers have names", "[text]") {
  for (const Tokenizer tokenizer :
       {Tokenizer::ids, Tokenizer::words, Tokenizer::characters, Tokenizer::sentences, Tokenizer::bpe})
    CHECK(tokenizer_named(to_string(tokenizer)) == tokenizer);
  CHECK(to_string(Tokenizer::characters) == "characters");
  CHECK(to_string(Tokenizer::bpe) == "bpe");
  CHECK_FALSE(tokenizer_named("word"));
}

TEST_CASE("what is not known is written as one asks", "[text]") {
  const Vocabulary vocabulary =
      Vocabulary::of_texts(Tokenizer::words, {"a"}, Vocabulary::Unknown::has_a_token);
  CHECK(vocabulary.decode({4, unknown_id}) == "a <unk>");
  CHECK(vocabulary.decode({4, unknown_id}, "?") == "a ?");
  CHECK(vocabulary.holds_unknown({4, unknown_id}));
  CHECK_FALSE(vocabulary.holds_unknown({4, end_id}));
  CHECK_FALSE(Vocabulary::of_ids(5).holds_unknown({unknown_id}));
}

TEST_CASE("a vocabulary of byte pairs knows every text, and its special tokens are no text's", "[text]") {
  const auto pairs = std::make_shared<BytePairs>(std::vector<Merge>{{"a", "b"}, {" ", "ab"}});
  const Vocabulary vocabulary = Vocabulary::of_byte_pairs(pairs);
  CHECK(vocabulary.size() == 3 + 256 + 2);
  CHECK(vocabulary.tokens[2] == "</s>");
  CHECK(vocabulary.tokens[260] == "Ġab");
  CHECK(vocabulary.encode("ab ab") == Ids{259, 260});
  for (const char* text : {"ab ab", "我 爱\n", "<s> <pad>", "\xF0\x9F\x98\x80"}) {
    const Ids ids = vocabulary.encode(text);
    for (const std::uint32_t id : ids) CHECK(id > end_id);
    CHECK(vocabulary.decode(ids) == text);
  }
  CHECK(vocabulary.decode({1, 259, 2}) == "<s>ab</s>");
  Ids half = vocabulary.encode("我a");
  half.erase(half.begin());
  CHECK(vocabulary.decode(half) == "\uFFFD\uFFFDa");
  check_error(ErrorKind::bad_data, "id 261 is none", [&] { (void)vocabulary.decode({261}); });
  check_error(ErrorKind::usage, "the text holds no token", [&] { (void)vocabulary.encode(""); });
  CHECK_FALSE(words_of({"a"}).byte_pairs());
}
