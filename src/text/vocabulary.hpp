#pragma once
// What a model reads and writes: numbered tokens, and text as their numbers.
//
//   ids         the learner writes the numbers themselves: "1 2 3" or "1,2,3"
//   words       what stands between white space
//   characters  code points; white space around the text is dropped
//   sentences   words, punctuation marks and Chinese characters apart, capitals as marks (text/tokens.hpp)
//   bpe         byte-pair encoding by learned merges (text/byte_pairs.hpp); it knows every text
//
// A token that is not known as it stands is looked up in lower case, and a word with hyphens then by its
// parts, so that "Twenty-one" reads as "twenty one" where only these two are known.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tfx {

class BytePairs;

enum class Tokenizer { ids, words, characters, sentences, bpe };

/// "ids", "words", …, in the order of the enum.
const std::vector<std::string>& tokenizer_names();
std::string to_string(Tokenizer tokenizer);

/// Nothing where no tokenizer has that name.
std::optional<Tokenizer> tokenizer_named(std::string_view name);

/// Where a vocabulary has special tokens, they are its first ones, in this order. No text is encoded as one
/// of them, <unk> excepted.
constexpr std::uint32_t pad_id = 0, start_id = 1, end_id = 2, unknown_id = 3;
constexpr std::string_view pad_token = "<pad>", start_token = "<s>", end_token = "</s>",
                           unknown_token = "<unk>";

/// The tokens of a text in order, not yet looked up. Throws Error(usage) where the text is no UTF-8.
std::vector<std::string> split(std::string_view text, Tokenizer tokenizer);

struct Vocabulary {
  Tokenizer tokenizer = Tokenizer::ids;
  std::vector<std::string> tokens; ///< the position is the id

  Vocabulary() = default;
  /// Throws Error(bad_data) where a token is empty or stands twice.
  Vocabulary(Tokenizer tokenizer, std::vector<std::string> tokens);

  /// The ids 0 … count − 1, which are their own tokens.
  static Vocabulary of_ids(std::size_t count);

  enum class Unknown { refused, has_a_token };
  /// <pad>, <s>, </s>, with Unknown::has_a_token <unk>, then the distinct tokens of the texts as they first
  /// appear, but those that stand there fewer than min_count times. Throws Error(usage) where a text is no
  /// UTF-8.
  static Vocabulary of_texts(Tokenizer tokenizer, const std::vector<std::string>& texts, Unknown unknown,
                             std::size_t min_count = 1);

  /// <pad>, <s>, </s>, then the tokens of the encoding, their bytes written as letters.
  static Vocabulary of_byte_pairs(std::shared_ptr<const BytePairs> pairs);

  /// The encoding of a vocabulary of byte pairs; nothing in others.
  const std::shared_ptr<const BytePairs>& byte_pairs() const { return byte_pairs_; }

  std::size_t size() const { return tokens.size(); }

  /// The id of a token, special ones included.
  std::optional<std::uint32_t> id_of(const std::string& token) const;

  /// A text as ids. A token that is not known is <unk> where there is one.
  /// Throws Error(usage) where a token is not known, with a near miss in the hint, where the text holds none,
  /// or is no UTF-8.
  std::vector<std::uint32_t> encode(std::string_view text) const;

  /// The same, but of characters each counts as it stands: blanks at the ends, capitals. For a text that is
  /// gone on with.
  std::vector<std::uint32_t> encode_as_written(std::string_view text) const;

  /// A token as a page shows it, special ones too: a blank as ␣, a line feed as \n. Throws as decode does.
  std::string shown(std::uint32_t id) const;

  /// The tokens of some ids, special ones too: words and ids with a blank between, characters and byte pairs
  /// without, sentences as they are printed; bytes that are no UTF-8 become U+FFFD. <unk> is written as
  /// `unknown`. Throws Error(bad_data) where an id is none of the vocabulary's.
  std::string decode(const std::vector<std::uint32_t>& ids, std::string_view unknown = unknown_token) const;

  /// Whether <unk> is among the ids.
  bool holds_unknown(const std::vector<std::uint32_t>& ids) const;

private:
  void append_ids_of(const std::string& token, std::vector<std::uint32_t>& ids) const;
  std::optional<std::uint32_t> id_in_text(const std::string& token) const;
  std::optional<std::vector<std::uint32_t>> ids_of_parts(const std::string& word) const;
  [[noreturn]] void refuse(const std::string& token) const;

  std::unordered_map<std::string, std::uint32_t> ids_;
  std::shared_ptr<const BytePairs> byte_pairs_;
  std::size_t specials_ = 0; ///< the first tokens, which no text holds
};

} // namespace tfx
