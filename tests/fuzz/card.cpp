// What a model's file says of its texts, beside its numbers: keys and values with a byte between that no text
// has. The first two bytes are the rows of its embeddings: up to 127, or with the 259 that every vocabulary
// of byte pairs has.
#include "fuzz.hpp"
#include "model/model_card.hpp"

namespace tfx::fuzz {

namespace {

std::size_t rows_of(char byte) {
  constexpr std::size_t few = 128, of_byte_pairs = 259;
  const auto number = static_cast<unsigned char>(byte);
  return number < few ? number + 1 : of_byte_pairs + number - few;
}

std::map<std::string, std::string> metadata_in(std::string_view bytes) {
  std::map<std::string, std::string> metadata;
  const auto take = [&] {
    const std::size_t end = std::min(bytes.find('\xFF'), bytes.size());
    const std::string text(bytes.substr(0, end));
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
    return text;
  };
  while (!bytes.empty()) {
    const std::string key = take();
    metadata[key] = take();
  }
  return metadata;
}

} // namespace

void one_input(std::string_view bytes) {
  if (bytes.size() < 2) return;
  ModelSpec spec;
  spec.src_vocab = rows_of(bytes[0]), spec.tgt_vocab = rows_of(bytes[1]);
  const std::string name = "x.safetensors";
  const auto metadata = metadata_in(bytes.substr(2));
  const auto read = read_or_refuse(name, [&] { return card_of(metadata, spec, name); });
  if (!read || !*read) return;
  const ModelCard& card = **read;
  const auto again = card_of(metadata_of(card), spec, name);
  require(again && metadata_of(*again) == metadata_of(card), "the card comes back");
  require(again->src.tokens == card.src.tokens && again->tgt.tokens == card.tgt.tokens,
          "its tokens come back");
  require(card.src.size() == spec.src_vocab && card.tgt.size() == spec.tgt_vocab, "a row has a token");
  require(card.start < card.tgt.size() && card.end.value_or(0) < card.tgt.size(), "start and end are tokens");
  (void)card.tgt.decode({card.start, static_cast<std::uint32_t>(card.tgt.size() - 1)});
}

} // namespace tfx::fuzz
