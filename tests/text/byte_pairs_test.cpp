#include "text/byte_pairs.hpp"

#include "core/stopwatch.hpp"
#include "io/error_of.hpp"
#include "support/address_space.hpp"
#include "support/catch.hpp"
#include "text/byte_pair_training.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <map>
#include <random>

using namespace tfx;
using Pieces = std::vector<std::string_view>;
using Tokens = std::vector<std::string>;

namespace {

Tokens tokens_of(const BytePairs& pairs, std::string_view text) {
  Tokens tokens;
  for (const std::uint32_t id : pairs.encode(text)) tokens.push_back(pairs.tokens()[id]);
  return tokens;
}

/// GPT-2's loop as it stands in encoder.py, on tokens as strings: the best pair of all, everywhere, again.
Tokens by_rounds(const BytePairs& pairs, std::string_view piece) {
  Tokens word;
  for (const char byte : piece) word.emplace_back(1, byte);
  while (word.size() > 1) {
    std::size_t best = pairs.merges().size();
    for (std::size_t i = 0; i + 1 < word.size(); ++i)
      for (std::size_t rank = 0; rank < best; ++rank)
        if (pairs.merges()[rank] == Merge{word[i], word[i + 1]}) best = rank;
    if (best == pairs.merges().size()) break;
    Tokens merged;
    for (std::size_t i = 0; i < word.size(); ++i) {
      const bool is_pair = i + 1 < word.size() && pairs.merges()[best] == Merge{word[i], word[i + 1]};
      merged.push_back(is_pair ? word[i] + word[i + 1] : word[i]);
      i += is_pair;
    }
    word = merged;
  }
  return word;
}

/// The same training, counted anew for every merge.
std::vector<LearnedMerge> learn_by_counting(std::string_view text, std::size_t merges) {
  std::vector<Tokens> pieces;
  for (const std::string_view piece : gpt2_pieces(text)) {
    pieces.emplace_back();
    for (const char byte : piece) pieces.back().emplace_back(1, byte);
  }
  Tokens known = byte_tokens();
  const auto age = [&](const std::string& token) { return std::ranges::find(known, token) - known.begin(); };
  std::vector<LearnedMerge> learned;
  while (learned.size() < merges) {
    std::map<std::pair<std::ptrdiff_t, std::ptrdiff_t>, LearnedMerge> counts;
    for (const Tokens& piece : pieces)
      for (std::size_t i = 0; i + 1 < piece.size(); ++i) {
        LearnedMerge& pair = counts[{age(piece[i]), age(piece[i + 1])}];
        pair.merge = {piece[i], piece[i + 1]}, ++pair.count;
      }
    LearnedMerge best;
    for (const auto& [ages, pair] : counts)
      if (pair.count > best.count) best = pair;
    if (best.count < 2) break;
    learned.push_back(best);
    const std::string made = best.merge.left + best.merge.right;
    if (!std::ranges::count(known, made)) known.push_back(made);
    for (Tokens& piece : pieces)
      for (std::size_t i = 0; i + 1 < piece.size(); ++i)
        if (best.merge == Merge{piece[i], piece[i + 1]}) {
          piece[i] = made;
          piece.erase(piece.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        }
  }
  return learned;
}

std::string random_text(std::mt19937& random, std::size_t length, std::string_view letters) {
  std::string text;
  for (std::size_t i = 0; i < length; ++i) text += letters[random() % letters.size()];
  return text;
}

} // namespace

TEST_CASE("pieces are a word with its blank, a number, marks, white space", "[bpe]") {
  CHECK(gpt2_pieces("I'll  go!") == Pieces{"I", "'ll", " ", " go", "!"});
  CHECK(gpt2_pieces("GPT2 3.14") == Pieces{"GPT", "2", " 3", ".", "14"});
  CHECK(gpt2_pieces("a\n\n b") == Pieces{"a", "\n\n", " b"});
  CHECK(gpt2_pieces("a\n\nb") == Pieces{"a", "\n", "\n", "b"});
  CHECK(gpt2_pieces("a  ") == Pieces{"a", "  "});
  CHECK(gpt2_pieces("我爱你，很\xE3\x80\x80好") == Pieces{"我爱你", "，", "很", "\xE3\x80\x80", "好"});
  CHECK(gpt2_pieces("don't 'S 's' !'s") == Pieces{"don", "'t", " '", "S", " '", "s", "'", " !'", "s"});
  CHECK(gpt2_pieces("e\xCC\x81t ½") == Pieces{"e", "\xCC\x81", "t", " ½"}); // a mark is no letter
  CHECK(gpt2_pieces("").empty());
}

TEST_CASE("a byte is written as the letter that GPT-2 gives it", "[bpe]") {
  CHECK(written_bytes(" a\n\xE6\x88\x91") == "ĠaĊæĪĳ");
  CHECK(read_bytes("ĠaĊæĪĳ") == " a\n\xE6\x88\x91");
  CHECK_FALSE(read_bytes("a b")); // a blank is Ġ
  CHECK_FALSE(read_bytes("我"));
  CHECK_FALSE(read_bytes("\xFF"));
  CHECK_FALSE(read_bytes("\u00AD\u0144"));
  const Tokens bytes = byte_tokens();
  REQUIRE(bytes.size() == 256);
  CHECK((bytes[0] == "!" && bytes[93] == "~" && bytes[94] == "\xA1" && bytes[188] == std::string(1, '\0')));
  CHECK((bytes[220] == " " && bytes[255] == "\xAD")); // as in vocab.json of GPT-2
  for (const std::string& byte : bytes) CHECK(read_bytes(written_bytes(byte)) == byte);
}

TEST_CASE("merges are made in the order in which they were learned", "[bpe]") {
  const BytePairs pairs(
      std::vector<Merge>{{"l", "o"}, {"lo", "w"}, {"e", "r"}, {" ", "low"}, {"w", "e"}, {"a", "a"}});
  CHECK(tokens_of(pairs, "low lower we") == Tokens{"low", " low", "er", " ", "we"});
  CHECK(tokens_of(pairs, "aaaaa") == Tokens{"aa", "aa", "a"}); // from left to right
  CHECK(pairs.encode("lo") == std::vector<std::uint32_t>{256});
  CHECK(pairs.decode(pairs.encode("lower, 我")) == "lower, 我");
  CHECK(pairs.encode("").empty());
  CHECK_FALSE(pairs.id_of("ow"));
  check_error(ErrorKind::usage, "not UTF-8", [&] { (void)pairs.encode("\xFF"); });
  check_error(ErrorKind::bad_data, "id 262 is none", [&] { (void)pairs.decode({262}); });
}

TEST_CASE("a token that two merges make is one", "[bpe]") {
  const BytePairs pairs(std::vector<Merge>{{"a", "b"}, {"b", "c"}, {"ab", "c"}, {"a", "bc"}});
  CHECK(pairs.tokens().size() == 256 + 3);
  CHECK(tokens_of(pairs, "abc") == Tokens{"abc"});
}

TEST_CASE("encoding is GPT-2's loop, whatever the order of the merges", "[bpe]") {
  std::mt19937 random(5);
  for (int round = 0; round < 60; ++round) {
    Tokens known{"a", "b", "c"};
    std::vector<Merge> merges;
    for (int i = 0; i < 12; ++i) {
      const Merge merge{known[random() % known.size()], known[random() % known.size()]};
      if (std::ranges::count(merges, merge)) continue;
      merges.push_back(merge), known.push_back(merge.left + merge.right);
    }
    std::ranges::shuffle(merges, random); // so that what a merge makes may have been learned before it
    const BytePairs pairs(merges, [&] {
      Tokens tokens = byte_tokens();
      for (const std::string& token : known)
        if (!std::ranges::count(tokens, token)) tokens.push_back(token);
      return tokens;
    }());
    for (int i = 0; i < 20; ++i) {
      const std::string piece = random_text(random, 1 + random() % 30, "abc");
      INFO(piece);
      CHECK(tokens_of(pairs, piece) == by_rounds(pairs, piece));
    }
  }
}

TEST_CASE("a long word takes no long time", "[bpe]") {
  const BytePairs pairs(std::vector<Merge>{{"a", "a"}, {"aa", "aa"}, {"aaaa", "aaaa"}});
  CHECK(pairs.encode(std::string(1'000'000, 'a')).size() == 125'000);
}

TEST_CASE("the most frequent pair is merged, of equal ones the one of older tokens", "[bpe]") {
  // es 2+… by hand: low ×5, lower ×2, newest ×6, widest ×3 (the example of Sennrich et al., without their end
  // of word)
  std::string text;
  for (const auto& [word, count] : {std::pair("low", 5), {"lower", 2}, {"newest", 6}, {"widest", 3}})
    for (int i = 0; i < count; ++i) text += std::string(word) + "\n";
  const LearnedBytePairs learned = learn_byte_pairs(text, 4);
  REQUIRE(learned.merges.size() == 4);
  CHECK(learned.merges[0].merge == Merge{"e", "s"}); // 9, as st: e is older than s
  CHECK(learned.merges[0].count == 9);
  CHECK(learned.merges[1].merge == Merge{"es", "t"});
  CHECK(learned.merges[2].merge == Merge{"l", "o"}); // 7, as ow
  CHECK(learned.merges[3].merge == Merge{"lo", "w"});
  CHECK(learned.merges[3].count == 7);
  CHECK(learned.bytes == text.size());
  CHECK(learned.pieces == 2 * 16);
  CHECK(learned.different_pieces == 5);
  CHECK(learned.tokens == learned.pairs().encode(text).size());
}

TEST_CASE("a pair that stands once is not merged", "[bpe]") {
  CHECK(learn_byte_pairs("abc", 10).merges.empty());
  CHECK(learn_byte_pairs("", 10).merges.empty());
  CHECK(learn_byte_pairs("ab ab", 10).merges.size() == 1); // " ab" and "ab" share no more than ab
  check_error(ErrorKind::usage, "not UTF-8", [] { learn_byte_pairs("\xFF", 1); });
}

TEST_CASE("what is learned is what counting everything anew for each merge gives", "[bpe]") {
  // Few letters make ties, runs of one letter, and tokens that two merges make; without a blank all is one
  // piece.
  const std::vector<Tokens> alphabets{{"a"},
                                      {"a", "b"},
                                      {"a", "b", " "},
                                      {"A", "C", "G", "T"},
                                      {"a", "b", "c", "d", "e", "  ", "1"},
                                      {"我", "爱", "成", "戒"},
                                      {"我", "a", "，", "\n"},
                                      {"aaa", "aa", "b "}};
  std::mt19937 random(9);
  for (int round = 0; round < 320; ++round) {
    const Tokens& alphabet = alphabets[static_cast<std::size_t>(round) % alphabets.size()];
    std::string text;
    for (std::size_t i = 1 + random() % 200; i > 0; --i) text += alphabet[random() % alphabet.size()];
    const std::size_t wanted = 1 + random() % 60;
    const std::vector<LearnedMerge> expected = learn_by_counting(text, wanted);
    const LearnedBytePairs learned = learn_byte_pairs(text, wanted);
    INFO(text);
    REQUIRE(learned.merges.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      CHECK(learned.merges[i].merge == expected[i].merge);
      CHECK(learned.merges[i].count == expected[i].count);
    }
    CHECK(learned.tokens == learned.pairs().encode(text).size());
    CHECK(learned.pieces == gpt2_pieces(text).size());
  }
}

#ifdef NDEBUG // a sanitizer takes more memory, and ends the process where it is refused
TEST_CASE("one long piece costs a byte what words cost", "[bpe]") {
  std::mt19937 random(3);
  const std::string text = random_text(random, 1'000'000, "ACGT");
  const FreedMemoryTaken taken;
  const AddressSpaceLimit limit(80 << 20); // counted piece by piece it took four gigabytes, and three minutes
  const Stopwatch time;
  const LearnedBytePairs learned = learn_byte_pairs(text, 2000);
  const BytePairs pairs = learned.pairs();
  CHECK(pairs.decode(pairs.encode(text)) == text);
  CHECK(learned.merges.size() == 2000);
  CHECK(time.seconds() < 20); // 0.6 s here
}

TEST_CASE("merges and ids that do not fit in memory are refused before it is taken", "[bpe]") {
  const std::string text(2'000'000, 'a');
  const FreedMemoryTaken taken;
  const AddressSpaceLimit limit(40 << 20);
  check_error(ErrorKind::no_memory, "learning merges needs about 128 MB", [&] { learn_byte_pairs(text, 9); });
  check_error(ErrorKind::no_memory, "encoding needs about 66 MB", [&] { (void)BytePairs().encode(text); });
}
#endif

TEST_CASE("merges, pieces and ids are those of a second implementation in Python", "[bpe]") {
  std::ifstream file(std::string(TFX_SOURCE_DIR) + "/data/reference/byte_pairs.json");
  const auto reference = nlohmann::json::parse(file);
  const auto& merges = reference["merges"];
  REQUIRE(merges.size() == 76); // of 150 that were asked for
  const LearnedBytePairs learned = learn_byte_pairs(reference["text"].get<std::string>(), 150);
  REQUIRE(learned.merges.size() == merges.size());
  for (std::size_t i = 0; i < merges.size(); ++i) {
    CHECK(written_bytes(learned.merges[i].merge.left) == merges[i][0].get<std::string>());
    CHECK(written_bytes(learned.merges[i].merge.right) == merges[i][1].get<std::string>());
    CHECK(learned.merges[i].count == merges[i][2].get<std::size_t>());
  }
  const BytePairs pairs = learned.pairs();
  for (const auto& one : reference["strings"]) {
    const auto text = one["text"].get<std::string>();
    INFO(text);
    Tokens pieces;
    for (const std::string_view piece : gpt2_pieces(text)) pieces.push_back(written_bytes(piece));
    CHECK(pieces == one["pieces"].get<Tokens>());
    CHECK(pairs.encode(text) == one["ids"].get<std::vector<std::uint32_t>>());
  }
}
