#include "core/error.hpp"
#include "support/catch.hpp"
#include "text/tokens.hpp"

using namespace tfx;
using Tokens = std::vector<std::string>;

namespace {

// The error that tokenize() throws; one that no test expects if it throws none.
Error refusal(const std::string& text) {
  try {
    tokenize(text);
  } catch (const Error& error) {
    return error;
  }
  return defect("accepted");
}

} // namespace

TEST_CASE("white space separates tokens", "[text]") {
  CHECK(tokenize("I love NLP") == Tokens{"I", "love", "NLP"});
  CHECK(tokenize("  I\t love\r\n NLP \n") == Tokens{"I", "love", "NLP"});
  CHECK(tokenize("我\u3000爱\u00a0你") == Tokens{"我", "爱", "你"});
  CHECK(tokenize("word") == Tokens{"word"});
}

TEST_CASE("a CJK character is a token, with and without white space", "[text]") {
  CHECK(tokenize("我爱 NLP，真的！") == Tokens{"我", "爱", "NLP", "，", "真", "的", "！"});
  CHECK(tokenize("我 爱 自然语言") == Tokens{"我", "爱", "自", "然", "语", "言"});
  CHECK(tokenize("用GPT-2写 5 篇") == Tokens{"用", "GPT-2", "写", "5", "篇"});
  CHECK(tokenize("ＧＰＴ２模型々") == Tokens{"ＧＰＴ２", "模", "型", "々"});
  CHECK(tokenize("我爱NLP") == Tokens{"我", "爱", "NLP"});
  CHECK(tokenize("我爱NLP\n") == Tokens{"我", "爱", "NLP"}); // as echo writes it
  CHECK(tokenize("GPT2模型v3好，") == Tokens{"GPT2", "模", "型", "v3", "好", "，"});
  CHECK(tokenize("日本のカメラ") == Tokens{"日", "本", "の", "カ", "メ", "ラ"});
  CHECK(tokenize("한국어") == Tokens{"한", "국", "어"});
  CHECK(tokenize("か\u3099く") == Tokens{"か\u3099", "く"}); // が written as two code points
  CHECK(tokenize("𠀀𠀁") == Tokens{"𠀀", "𠀁"});
}

TEST_CASE("punctuation is a token, but for what belongs to a word or a number", "[text]") {
  CHECK(tokenize("the cat sat.") == Tokens{"the", "cat", "sat", "."});
  CHECK(tokenize("\"Stop!\", he said...") ==
        Tokens{"\"", "Stop", "!", "\"", ",", "he", "said", ".", ".", "."});
  CHECK(tokenize("don't it’s 'quoted' dogs'") == Tokens{"don't", "it’s", "'", "quoted", "'", "dogs", "'"});
  CHECK(tokenize("state-of-the-art - twenty-one -5") ==
        Tokens{"state-of-the-art", "-", "twenty-one", "-", "5"});
  CHECK(tokenize("3.14 1. v2.0 x.y 2024年") == Tokens{"3.14", "1", ".", "v2.0", "x", ".", "y", "2024", "年"});
  CHECK(tokenize("word_1 + naïve=Σ Москва") == Tokens{"word_1", "+", "naïve", "=", "Σ", "Москва"});
  CHECK(tokenize("👍🏽 ok") == Tokens{"👍🏽", "ok"}); // one picture
}

TEST_CASE("marks in brackets are whole", "[text]") {
  CHECK(tokenize("<s> the [MASK] sat </s> [PAD][PAD]") ==
        Tokens{"<s>", "the", "[MASK]", "sat", "</s>", "[PAD]", "[PAD]"});
  CHECK(tokenize("a<b [x y] [] <") == Tokens{"a", "<", "b", "[", "x", "y", "]", "[", "]", "<"});
}

TEST_CASE("a byte order mark is no part of the first token", "[text]") {
  CHECK(tokenize("\xEF\xBB\xBFI am") == Tokens{"I", "am"});
}

TEST_CASE("text that is not UTF-8 is refused with the position", "[text]") {
  const Error error = refusal("ok \xce\xd2 text"); // 我 in GB18030
  CHECK(error.kind() == ErrorKind::usage);
  CHECK(error.what() == std::string("the text is not UTF-8: unexpected byte \\xce at byte 3"));
  CHECK(error.hint().in_english().find("iconv") != std::string::npos);
  CHECK(refusal("中\xe6\x96").what() ==
        std::string("the text is not UTF-8: unexpected byte \\xe6 at byte 3"));
}

TEST_CASE("text without a token is refused", "[text]") {
  for (const std::string text : {"", " ", "\n", "\u3000\u00a0\t", "\xEF\xBB\xBF"}) {
    const Error error = refusal(text);
    CHECK(error.kind() == ErrorKind::usage);
    CHECK(error.what() == std::string("the text holds no token"));
  }
}

TEST_CASE("distinct tokens are numbered in order of appearance", "[text]") {
  const DistinctTokens vocabulary = distinct({"the", "cat", "saw", "the", "other", "cat"});
  CHECK(vocabulary.words == Tokens{"the", "cat", "saw", "other"});
  CHECK(vocabulary.ids == std::vector<std::size_t>{0, 1, 2, 0, 3, 1});
  CHECK(distinct({"The", "the"}).words.size() == 2);
  CHECK(distinct({}).words.empty());
  CHECK(distinct({}).ids.empty());
}

TEST_CASE("a word has at most a thousand bytes", "[text][tokens]") {
  const std::string word(max_word, 'x');
  CHECK(tokenize("a " + word).size() == 2);
  const Error error = refusal("a " + word + "x");
  CHECK(error.kind() == ErrorKind::usage);
  CHECK(std::string(error.what()) == "the text has a word of 1,001 bytes, and 1,000 is the most");
  std::string chinese;
  for (int i = 0; i < 2000; ++i) chinese += "我";
  CHECK(tokenize(chinese).size() == 2000); // a character each
}

TEST_CASE("each token is the word of its id, in a long text too", "[text]") {
  Tokens tokens;
  for (int i = 0; i < 5000; ++i) tokens.push_back("token" + std::to_string(i * 7 % 1000));
  const DistinctTokens vocabulary = distinct(tokens);
  REQUIRE(vocabulary.words.size() == 1000);
  REQUIRE(vocabulary.ids.size() == tokens.size());
  for (std::size_t i = 0; i < tokens.size(); ++i) REQUIRE(vocabulary.words[vocabulary.ids[i]] == tokens[i]);
}
