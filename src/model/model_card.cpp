#include "model/model_card.hpp"

#include "core/error.hpp"
#include "io/message.hpp"
#include "text/byte_pairs.hpp"
#include "text/names.hpp"
#include "tokens/byte_pair_files.hpp"

#include <algorithm>
#include <charconv>

namespace tfx {

namespace {

// A line each; a line feed is a character of some texts. No other token of characters has two of them.
const std::string line_feed_written = "\\n";

class CardReader {
public:
  CardReader(const std::map<std::string, std::string>& metadata, const std::string& path)
      : metadata_(metadata), path_(path) {}

  const std::string& text(const std::string& key) const {
    const auto found = metadata_.find(key);
    if (found == metadata_.end())
      refuse(said("the metadata name a task, but no {key}", {{"key", in_quotes(key)}}));
    return found->second;
  }

  bool has(const std::string& key) const { return metadata_.contains(key); }

  std::size_t number(const std::string& key, std::size_t min, std::size_t max) const {
    const std::string& digits = text(key);
    std::size_t value = 0;
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || digits != std::to_string(value) || value < min || value > max)
      refuse(said("the metadata give {key} as {value}; it is a whole number from {min} to {max}",
                  {{"key", key}, {"value", in_quotes(digits)}, {"min", min}, {"max", max}}));
    return value;
  }

  /// `side` is src or tgt, `count` the rows of its embedding.
  Vocabulary vocabulary(const std::string& side, std::size_t count) const {
    const Tokenizer tokenizer = tokenizer_of(side);
    if (tokenizer == Tokenizer::bpe) return byte_pairs(side, count);
    const std::string key = side + "_tokens";
    if (tokenizer == Tokenizer::ids) return Vocabulary::of_ids(count);
    std::vector<std::string> tokens = split_lines(text(key));
    if (tokenizer == Tokenizer::characters) std::ranges::replace(tokens, line_feed_written, "\n");
    if (tokens.size() != count)
      refuse(said("{key} has {count} tokens, the embedding has {most}",
                  {{"key", key}, {"count", tokens.size()}, {"most", count}}));
    try {
      return Vocabulary(tokenizer, std::move(tokens));
    } catch (const Error& error) {
      refuse(said("{key}: {what}", {{"key", key}, {"what", error.message()}}));
    }
  }

private:
  Vocabulary byte_pairs(const std::string& side, std::size_t count) const {
    const std::string key = side + "_merges";
    auto pairs = std::make_shared<BytePairs>(read_merges(text(key), path_ + ", " + key));
    Vocabulary vocabulary = Vocabulary::of_byte_pairs(std::move(pairs));
    if (vocabulary.size() != count)
      refuse(said("{key} make {count} tokens, the embedding has {rows}",
                  {{"key", key}, {"count", vocabulary.size()}, {"rows", count}}));
    return vocabulary;
  }

  Tokenizer tokenizer_of(const std::string& side) const {
    const std::string key = side + "_tokenizer", &name = text(key);
    const auto tokenizer = tokenizer_named(name);
    if (!tokenizer)
      refuse(said("the metadata give {key} as {value}; it is one of {names}",
                  {{"key", key}, {"value", in_quotes(name)}, {"names", join(tokenizer_names())}}));
    return *tokenizer;
  }

  [[noreturn]] void refuse(const Message& what) const {
    refuse_file(path_, what, said("take the file as the training wrote it"));
  }

  const std::map<std::string, std::string>& metadata_;
  const std::string& path_;
};

} // namespace

std::optional<ModelCard> card_of(const std::map<std::string, std::string>& metadata, const ModelSpec& spec,
                                 const std::string& path) {
  const CardReader reader(metadata, path);
  if (!reader.has("task")) return std::nullopt;
  ModelCard card;
  card.task = reader.text("task");
  if (spec.has_encoder()) card.src = reader.vocabulary("src", spec.src_vocab);
  card.tgt = reader.vocabulary("tgt", spec.tgt_vocab);
  card.start = static_cast<std::uint32_t>(reader.number("start", 0, spec.tgt_vocab - 1));
  if (reader.has("end")) card.end = static_cast<std::uint32_t>(reader.number("end", 0, spec.tgt_vocab - 1));
  card.max_tokens = reader.number("max_tokens", 2, spec.max_len);
  if (reader.has("text_sha256")) card.sha256 = reader.text("text_sha256");
  if (reader.has("max_src_tokens")) card.max_src_tokens = reader.number("max_src_tokens", 1, spec.max_len);
  return card;
}

ModelCard card_of_ids(const ModelSpec& spec) {
  ModelCard card;
  card.src = Vocabulary::of_ids(spec.src_vocab), card.tgt = Vocabulary::of_ids(spec.tgt_vocab);
  card.start = spec.tgt_vocab > 1 ? 1 : 0;
  return card;
}

namespace {

std::vector<std::string> written(const Vocabulary& vocabulary) {
  std::vector<std::string> tokens = vocabulary.tokens;
  if (vocabulary.tokenizer == Tokenizer::characters) std::ranges::replace(tokens, "\n", line_feed_written);
  return tokens;
}

} // namespace

std::map<std::string, std::string> metadata_of(const ModelCard& card) {
  std::map<std::string, std::string> metadata{{"task", card.task},
                                              {"start", std::to_string(card.start)},
                                              {"max_tokens", std::to_string(card.max_tokens)}};
  if (card.max_src_tokens) metadata["max_src_tokens"] = std::to_string(*card.max_src_tokens);
  if (!card.sha256.empty()) metadata["text_sha256"] = card.sha256;
  if (card.end) metadata["end"] = std::to_string(*card.end);
  const auto add_tokens = [&](const std::string& side, const Vocabulary& vocabulary) {
    metadata[side + "_tokenizer"] = to_string(vocabulary.tokenizer);
    if (const auto& pairs = vocabulary.byte_pairs())
      metadata[side + "_merges"] = write_merges(pairs->merges());
    else if (vocabulary.tokenizer != Tokenizer::ids)
      metadata[side + "_tokens"] = join(written(vocabulary), "\n");
  };
  if (card.src.size() > 0) add_tokens("src", card.src);
  add_tokens("tgt", card.tgt);
  return metadata;
}

} // namespace tfx
