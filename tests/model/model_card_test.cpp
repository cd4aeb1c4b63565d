#include "model/model_card.hpp"

#include "io/error_of.hpp"
#include "model/checkpoint.hpp"
#include "support/catch.hpp"
#include "support/small_model.hpp"
#include "support/temporary_folder.hpp"
#include "text/byte_pairs.hpp"

using namespace tfx;

namespace {

ModelSpec card_spec() {
  ModelSpec spec = small_spec();
  spec.src_vocab = 5, spec.tgt_vocab = 6;
  return spec;
}

ModelCard some_card() {
  ModelCard card;
  card.task = "numbers-zh";
  card.src = Vocabulary(Tokenizer::words, {"<pad>", "<s>", "</s>", "one", "two"});
  card.tgt = Vocabulary(Tokenizer::characters, {"<pad>", "<s>", "</s>", "一", "二", "三"});
  card.start = 1, card.end = 2, card.max_tokens = 9, card.max_src_tokens = 7;
  return card;
}

void refused(const std::string& part, const std::function<void(Metadata&)>& change) {
  Metadata metadata = metadata_of(some_card());
  change(metadata);
  check_error(ErrorKind::bad_data, part, [&] { card_of(metadata, card_spec(), "file.safetensors"); });
}

} // namespace

TEST_CASE("a card comes back from a file as it was written", "[card]") {
  const TemporaryFolder folder;
  const auto model = small_model<float>(1, card_spec());
  const std::string path = folder.write("model.safetensors", "");
  save_model(model, path, metadata_of(some_card()));
  const TensorFile file(path);
  const auto card = card_of(file.metadata(), load_model<float>(file).spec, path);
  REQUIRE(card);
  CHECK(card->task == "numbers-zh");
  CHECK(card->src.tokenizer == Tokenizer::words);
  CHECK(card->src.tokens == some_card().src.tokens);
  CHECK(card->tgt.tokenizer == Tokenizer::characters);
  CHECK(card->tgt.tokens == some_card().tgt.tokens);
  CHECK(card->start == 1);
  CHECK(card->end == 2u);
  CHECK(card->max_tokens == 9);
  CHECK(card->max_src_tokens == 7u);
  CHECK(load_model<float>(file).spec.heads == 3);
}

TEST_CASE("ids need no tokens, and a target need not have an end", "[card]") {
  ModelCard card = some_card();
  card.src = Vocabulary::of_ids(5), card.tgt = Vocabulary::of_ids(6), card.end = std::nullopt;
  const Metadata metadata = metadata_of(card);
  CHECK(metadata.count("src_tokens") == 0);
  CHECK(metadata.count("end") == 0);
  const auto read = card_of(metadata, card_spec(), "file");
  REQUIRE(read);
  CHECK_FALSE(read->end);
  CHECK(read->tgt.tokens == std::vector<std::string>{"0", "1", "2", "3", "4", "5"});
}

TEST_CASE("without a task there is no card", "[card]") {
  CHECK_FALSE(card_of({{"heads", "3"}, {"format", "pt"}}, card_spec(), "file"));
}

TEST_CASE("nothing in a card is believed", "[card]") {
  refused("src_tokens has 4 tokens, the embedding has 5",
          [](Metadata& m) { m["src_tokens"] = "<pad>\n<s>\n</s>\none"; });
  refused("tgt_tokens has 7 tokens, the embedding has 6", [](Metadata& m) { m["tgt_tokens"] += "\n四"; });
  refused("file.safetensors: src_tokens: ", [](Metadata& m) { m["src_tokens"] = "a\nb\nc\nb\nd"; });
  refused("stands twice", [](Metadata& m) { m["src_tokens"] = "a\nb\nc\nb\nd"; });
  refused("is empty", [](Metadata& m) { m["src_tokens"] = "a\nb\n\nc\nd"; });
  refused("src_tokenizer as \"bytes\"", [](Metadata& m) { m["src_tokenizer"] = "bytes"; });
  for (const char* key :
       {"src_tokenizer", "tgt_tokenizer", "src_tokens", "tgt_tokens", "start", "max_tokens"})
    refused("but no \"" + std::string(key) + "\"", [&](Metadata& m) { m.erase(key); });
  for (const char* bad : {"6", "-1", "", "01", "1x", " 1", "1e1", "nan", "99999999999999999999"})
    for (const char* key : {"start", "end"})
      refused(std::string(key) + " as \"" + bad + "\"; it is a whole number from 0 to 5",
              [&](Metadata& m) { m[key] = bad; });
  for (const char* bad : {"0", "1", "41", "18446744073709551616"})
    refused("max_tokens as \"" + std::string(bad) + "\"; it is a whole number from 2 to 40",
            [&](Metadata& m) { m["max_tokens"] = bad; });
  for (const char* bad : {"0", "41", "x"})
    refused("max_src_tokens as \"" + std::string(bad) + "\"; it is a whole number from 1 to 40",
            [&](Metadata& m) { m["max_src_tokens"] = bad; });
}

TEST_CASE("byte pairs stand in a card by their merges, which are not believed either", "[card]") {
  const auto pairs = std::make_shared<BytePairs>(std::vector<Merge>{{"a", "b"}, {" ", "ab"}});
  ModelCard card = some_card();
  card.src = Vocabulary::of_byte_pairs(pairs);
  ModelSpec spec = card_spec();
  spec.src_vocab = card.src.size();
  const Metadata metadata = metadata_of(card);
  CHECK(metadata.at("src_tokenizer") == "bpe");
  CHECK(metadata.at("src_merges") == "#version: 0.2\na b\nĠ ab\n");
  CHECK_FALSE(metadata.contains("src_tokens"));
  const auto read = card_of(metadata, spec, "file.safetensors");
  REQUIRE(read);
  CHECK(read->src.tokens == card.src.tokens);
  CHECK(read->src.encode("ab ab 我") == card.src.encode("ab ab 我"));
  const auto refused_with = [&](const std::string& part, const std::string& merges) {
    Metadata wrong = metadata;
    wrong["src_merges"] = merges;
    check_error(ErrorKind::bad_data, part, [&] { card_of(wrong, spec, "file.safetensors"); });
  };
  refused_with("src_merges make 260 tokens, the embedding has 261", "a b\n");
  refused_with("file.safetensors, src_merges: line 1: no line before it", "ab c\n");
  refused_with("holds no merge", "");
  Metadata without = metadata;
  without.erase("src_merges");
  check_error(ErrorKind::bad_data, "\"src_merges\"", [&] { card_of(without, spec, "file.safetensors"); });
}
