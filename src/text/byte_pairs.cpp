#include "text/byte_pairs.hpp"

#include "core/error.hpp"
#include "core/memory.hpp"
#include "text/tokens.hpp"
#include "text/utf8.hpp"

#include <array>
#include <limits>
#include <queue>
#include <utility>

namespace tfx {

namespace {

constexpr std::array<std::string_view, 7> contractions{"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"};

enum class Class { space, letter, number, other };

Class class_of(char32_t character) {
  if (is_white_space(character)) return Class::space;
  if (is_letter(character)) return Class::letter;
  return is_number(character) ? Class::number : Class::other;
}

/// Characters of one class in a row.
struct Run {
  Class what;
  std::size_t end, last; ///< where it ends, and where its last character begins
};

Run run_at(std::string_view text, std::size_t at) {
  Run run{class_of(decode(text, at).value), at, at};
  while (run.end < text.size()) {
    const CodePoint next = decode(text, run.end);
    if (class_of(next.value) != run.what) break;
    run.last = run.end;
    run.end += next.length;
  }
  return run;
}

} // namespace

std::size_t end_of_piece(std::string_view text, std::size_t at) {
  for (const std::string_view contraction : contractions)
    if (text.substr(at).starts_with(contraction)) return at + contraction.size();
  const Run run = run_at(text, at);
  if (run.what != Class::space || run.end == text.size()) return run.end;
  if (run.last > at) return run.last; // the last space of several belongs to what follows, or stands alone
  return text[at] == ' ' ? run_at(text, run.end).end : run.end;
}

std::vector<std::string_view> gpt2_pieces(std::string_view text) {
  std::vector<std::string_view> pieces;
  for_each_piece(text, [&](std::string_view piece) { pieces.push_back(piece); });
  return pieces;
}

namespace {

constexpr std::size_t bytes = 256;
constexpr std::size_t worth_asking = std::size_t{1} << 20; // bytes of a text

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
                      Made{static_cast<std::uint32_t>(rank), ids_.at(merge.left + merge.right)});
  }
}

std::optional<std::uint32_t> BytePairs::id_of(const std::string& token) const {
  const auto found = ids_.find(token);
  return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

/// A piece as a chain of tokens, which become fewer. The pairs wait in the order in which they are merged.
class PieceMerger {
public:
  explicit PieceMerger(const BytePairs& pairs) : pairs_(pairs) {
    for (const std::string& byte : byte_tokens())
      byte_ids_[static_cast<unsigned char>(byte[0])] = pairs_.ids_.at(byte);
  }

  void append(std::string_view piece, std::vector<std::uint32_t>& ids) {
    const auto size = static_cast<Place>(piece.size());
    chain_.clear();
    for (Place i = 0; i < size; ++i)
      chain_.push_back({byte_ids_[static_cast<unsigned char>(piece[i])], i == 0 ? nowhere : i - 1,
                        i + 1 == size ? nowhere : i + 1});
    for (Place i = 0; i + 1 < size; ++i) await(i);
    while (!waiting_.empty()) merge_all_of(rank_of(waiting_.top()));
    for (Place at = 0; at != nowhere; at = chain_[at].next) ids.push_back(chain_[at].id);
  }

private:
  using Place = std::uint32_t;
  static constexpr Place nowhere = std::numeric_limits<Place>::max();
  static constexpr std::uint32_t gone = std::numeric_limits<std::uint32_t>::max();

  struct Link {
    std::uint32_t id; ///< gone where it was merged into another
    Place before, next;
  };
  /// Rank and place in one number: ten million of them are compared in no time.
  using Waiting = std::uint64_t;
  static std::uint32_t rank_of(Waiting pair) { return static_cast<std::uint32_t>(pair >> 32); }

  /// The merge of the token there and the next, if there is one.
  const BytePairs::Made* merge_at(Place at) const {
    const Link& link = chain_[at];
    if (link.id == gone || link.next == nowhere) return nullptr;
    const auto found = pairs_.made_.find(key_of(link.id, chain_[link.next].id));
    return found == pairs_.made_.end() ? nullptr : &found->second;
  }

  void await(Place at) {
    if (const auto* made = merge_at(at)) waiting_.push(Waiting{made->rank} << 32 | at);
  }

  /// From left to right, and what comes of it after all: a new pair may have been learned before this one.
  void merge_all_of(std::uint32_t rank) {
    for (; !waiting_.empty() && rank_of(waiting_.top()) == rank; waiting_.pop()) {
      const auto at = static_cast<Place>(waiting_.top());
      const auto* made = merge_at(at);
      if (!made || made->rank != rank) continue; // other merges came before
      Link& link = chain_[at];
      chain_[link.next].id = gone;
      link = {made->id, link.before, chain_[link.next].next};
      if (link.next != nowhere) chain_[link.next].before = at;
      merged_.push_back(at);
    }
    for (const Place at : merged_) {
      if (chain_[at].before != nowhere) await(chain_[at].before);
      await(at);
    }
    merged_.clear();
  }

  const BytePairs& pairs_;
  std::array<std::uint32_t, bytes> byte_ids_{};
  std::vector<Link> chain_;
  std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> waiting_;
  std::vector<Place> merged_;
};

std::vector<std::uint32_t> BytePairs::encode(std::string_view text) const {
  constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max();
  constexpr double a_byte = 30; // 24 where all is one piece, and its ids
  require_utf8(text);
  if (text.size() >= most) throw usage(said("the text has more than 4 GB"), said("take a part of it"));
  if (text.size() >= worth_asking)
    require_memory(a_byte * static_cast<double>(text.size()), said("encoding"));
  std::vector<std::uint32_t> ids;
  PieceMerger merger(*this);
  for_each_piece(text, [&](std::string_view piece) { merger.append(piece, ids); });
  return ids;
}

std::string BytePairs::decode(const std::vector<std::uint32_t>& ids) const {
  constexpr double copies = 3; // the text, written out, and on its way
  std::size_t size = 0;
  for (const std::uint32_t id : ids) {
    if (id >= tokens_.size())
      throw Error(ErrorKind::bad_data,
                  said("id {id} is none of a vocabulary of {count}", {{"id", id}, {"count", tokens_.size()}}),
                  said("take the vocabulary that belongs to the model"));
    size += tokens_[id].size();
  }
  if (size >= worth_asking) require_memory(copies * static_cast<double>(size), said("decoding"));
  std::string text;
  text.reserve(size);
  for (const std::uint32_t id : ids) text += tokens_[id];
  return text;
}

} // namespace tfx
