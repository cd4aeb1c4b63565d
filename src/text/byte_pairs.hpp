#pragma once
// Byte-pair encoding: a text's bytes, of which pairs that stand together were learned to be tokens, one merge
// after the other; what no merge covers stays bytes, so nothing is unknown to it. It merges inside pieces, so
// that no token ever spans two words: a piece is the first of 's 't 're 've 'm 'll 'd, of letters, numbers or
// other marks the longest run with a blank before it or none, of white space all but the last before a word.
// Sources: Sennrich, Haddow, Birch 2016, "Neural Machine Translation of Rare Words with Subword Units"; bytes
// and pieces as GPT-2 has them (Radford et al. 2019, encoder.py).

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tfx {

/// Where the piece ends that begins at byte `at` of a text, which must be UTF-8.
std::size_t end_of_piece(std::string_view text, std::size_t at);

/// Takes one piece after the other: a list of them may be larger than the text.
template <class Take>
void for_each_piece(std::string_view text, const Take& take) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = end_of_piece(text, at);
    take(text.substr(at, end - at));
    at = end;
  }
}

/// Together they are the text, which must be UTF-8. "I'll  go!" → I | 'll | ␣ | ␣go | !
std::vector<std::string_view> gpt2_pieces(std::string_view text);

/// Two tokens, as bytes, that become one.
struct Merge {
  std::string left, right;
  bool operator==(const Merge&) const = default;
};

/// Bytes as GPT-2's files write them, each as a letter that is seen: those of "!" to "~", "¡" to "¬" and "®"
/// to "ÿ" stand for themselves, the others in their order are U+0100, U+0101, … A blank is Ġ.
std::string written_bytes(std::string_view bytes);

/// Nothing where a character stands for no byte.
std::optional<std::string> read_bytes(std::string_view letters);

/// The 256 bytes in the order of their ids: those that stand for themselves, then the others.
std::vector<std::string> byte_tokens();

class BytePairs {
public:
  /// Bytes only.
  BytePairs() : BytePairs(std::vector<Merge>()) {}

  /// Ids by order: the bytes, then what each merge makes, where it is new. The merges are as a training makes
  /// them or a file was checked (tokens/byte_pair_files.hpp): each of tokens that are there.
  explicit BytePairs(std::vector<Merge> merges);

  /// The same with ids of their own: a token's place. All bytes and all that the merges make stand there,
  /// once.
  BytePairs(std::vector<Merge> merges, std::vector<std::string> tokens);

  const std::vector<Merge>& merges() const { return merges_; }
  const std::vector<std::string>& tokens() const { return tokens_; } ///< as bytes; the position is the id
  std::optional<std::uint32_t> id_of(const std::string& token) const;

  /// In each piece the merge that was learned first is made wherever it can be, from left to right, then the
  /// next. Throws Error(usage) where the text is no UTF-8, Error(no_memory) where it does not fit.
  std::vector<std::uint32_t> encode(std::string_view text) const;

  /// The tokens' bytes. Throws Error(bad_data) where there is no such id, Error(no_memory) where they do not
  /// fit.
  std::string decode(const std::vector<std::uint32_t>& ids) const;

private:
  struct Made {
    std::uint32_t rank, id;
  };

  void index();

  std::vector<Merge> merges_;
  std::vector<std::string> tokens_;
  std::unordered_map<std::string, std::uint32_t> ids_;
  std::unordered_map<std::uint64_t, Made> made_; ///< by the ids of left and right
  friend class PieceMerger;
};

} // namespace tfx
