#include "text/byte_pairs.hpp"

#include "core/error.hpp"
#include "text/pieces.hpp"
#include "text/tokens.hpp"
#include "text/utf8.hpp"

#include <array>
#include <queue>
#include <tuple>
#include <utility>

namespace tfx {

namespace {

constexpr std::size_t bytes = 256;

bool stands_for_itself(std::size_t byte) {
  return ('!' <= byte && byte <= '~') || (0xA1 <= byte && byte <= 0xAC) || (0xAE <= byte && byte <= 0xFF);
}

/// The letter of each byte.
const std::array<char32_t, bytes>& letters() {
  static const std::array<char32_t, bytes> table = [] {
    std::array<char32_t, bytes> all{};
    char32_t next = 0x100;
    for (std::size_t byte = 0; byte < bytes; ++byte)
      all[byte] = stands_for_itself(byte) ? static_cast<char32_t>(byte) : next++;
    return all;
  }();
  return table;
}

constexpr char32_t last_letter = 0x143; // 68 bytes do not stand for themselves

std::uint64_t key_of(std::uint32_t left, std::uint32_t right) {
  return std::uint64_t{left} << 32 | right;
}

} // namespace

std::string written_bytes(std::string_view text) {
  std::string written;
  for (const char c : text) {
    const char32_t letter = letters()[static_cast<unsigned char>(c)];
    if (letter < 0x80) {
      written += static_cast<char>(letter);
    } else {
      written += static_cast<char>(0xC0 | letter >> 6);
      written += static_cast<char>(0x80 | (letter & 0x3F));
    }
  }
  return written;
}

std::optional<std::string> read_bytes(std::string_view text) {
  static const std::array<int, last_letter + 1> byte_of = [] {
    std::array<int, last_letter + 1> table{};
    table.fill(-1);
    for (std::size_t byte = 0; byte < bytes; ++byte) table[letters()[byte]] = static_cast<int>(byte);
    return table;
  }();
  std::string read;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint next = decode(text, at);
    if (!next.valid || next.value > last_letter || byte_of[next.value] < 0) return std::nullopt;
    read += static_cast<char>(byte_of[next.value]);
    at += next.length;
  }
  return read;
}

std::vector<std::string> byte_tokens() {
  std::vector<std::string> tokens;
  for (const bool itself : {true, false})
    for (std::size_t byte = 0; byte < bytes; ++byte)
      if (stands_for_itself(byte) == itself) tokens.emplace_back(1, static_cast<char>(byte));
  return tokens;
}

BytePairs::BytePairs(std::vector<Merge> merges) : merges_(std::move(merges)), tokens_(byte_tokens()) {
  for (std::size_t id = 0; id < tokens_.size(); ++id) ids_[tokens_[id]] = static_cast<std::uint32_t>(id);
  for (const Merge& merge : merges_) {
    std::string made = merge.left + merge.right;
    if (ids_.emplace(made, static_cast<std::uint32_t>(tokens_.size())).second)
      tokens_.push_back(std::move(made));
  }
  index();
}

BytePairs::BytePairs(std::vector<Merge> merges, std::vector<std::string> tokens)
    : merges_(std::move(merges)), tokens_(std::move(tokens)) {
  for (std::size_t id = 0; id < tokens_.size(); ++id) ids_[tokens_[id]] = static_cast<std::uint32_t>(id);
  index();
}

void BytePairs::index() {
  for (std::size_t rank = 0; rank < merges_.size(); ++rank) {
    const Merge& merge = merges_[rank];
    made_.try_emplace(key_of(ids_.at(merge.left), ids_.at(merge.right)),
                      Made{rank, ids_.at(merge.left + merge.right)});
  }
}

std::optional<std::uint32_t> BytePairs::id_of(const std::string& token) const {
  const auto found = ids_.find(token);
  return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

/// A piece as a chain of tokens, which become fewer. The pairs wait in the order in which they are merged.
class PieceMerger {
public:
  PieceMerger(const BytePairs& pairs, std::string_view piece) : pairs_(pairs) {
    for (std::size_t i = 0; i < piece.size(); ++i)
      chain_.push_back({pairs_.ids_.at(std::string(1, piece[i])), i - 1, i + 1, true});
    for (std::size_t i = 0; i + 1 < piece.size(); ++i) await(i, waiting_);
  }

  void append_to(std::vector<std::uint32_t>& ids) {
    while (!waiting_.empty()) merge_all_of(waiting_.top().rank);
    for (std::size_t at = 0; at < chain_.size(); at = chain_[at].next) ids.push_back(chain_[at].id);
  }

private:
  struct Link {
    std::uint32_t id;
    std::size_t before, next; ///< places in the chain; before the first and behind the last: none
    bool is_there;
  };
  struct Waiting {
    std::size_t rank, at;
    std::uint32_t left, right, made;
    bool operator>(const Waiting& other) const { return std::tie(rank, at) > std::tie(other.rank, other.at); }
  };
  using Queue = std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>>;

  void await(std::size_t at, Queue& queue) const {
    const std::uint32_t left = chain_[at].id, right = chain_[chain_[at].next].id;
    if (const auto found = pairs_.made_.find(key_of(left, right)); found != pairs_.made_.end())
      queue.push({found->second.rank, at, left, right, found->second.id});
  }

  /// From left to right, and what comes of it after all: a new pair may have been learned before this one.
  void merge_all_of(std::size_t rank) {
    std::vector<std::size_t> merged;
    for (; !waiting_.empty() && waiting_.top().rank == rank; waiting_.pop()) {
      const Waiting pair = waiting_.top();
      Link& link = chain_[pair.at];
      if (!link.is_there || link.id != pair.left || link.next >= chain_.size() ||
          chain_[link.next].id != pair.right)
        continue;
      chain_[link.next].is_there = false;
      link.id = pair.made, link.next = chain_[link.next].next;
      if (link.next < chain_.size()) chain_[link.next].before = pair.at;
      merged.push_back(pair.at);
    }
    for (const std::size_t at : merged) {
      if (chain_[at].before < chain_.size()) await(chain_[at].before, waiting_);
      if (chain_[at].next < chain_.size()) await(at, waiting_);
    }
  }

  const BytePairs& pairs_;
  std::vector<Link> chain_;
  Queue waiting_;
};

void BytePairs::append_piece(std::string_view piece, std::vector<std::uint32_t>& ids) const {
  PieceMerger(*this, piece).append_to(ids);
}

std::vector<std::uint32_t> BytePairs::encode(std::string_view text) const {
  require_utf8(text);
  std::vector<std::uint32_t> ids;
  for (const std::string_view piece : gpt2_pieces(text)) append_piece(piece, ids);
  return ids;
}

std::string BytePairs::decode(const std::vector<std::uint32_t>& ids) const {
  std::string text;
  for (const std::uint32_t id : ids) {
    if (id >= tokens_.size())
      throw Error(ErrorKind::bad_data,
                  "id " + std::to_string(id) + " is none of a vocabulary of " +
                      std::to_string(tokens_.size()),
                  "take the vocabulary that belongs to the model");
    text += tokens_[id];
  }
  return text;
}

} // namespace tfx
