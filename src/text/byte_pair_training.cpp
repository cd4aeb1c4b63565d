#include "text/byte_pair_training.hpp"

#include "text/pieces.hpp"
#include "text/tokens.hpp"

#include <algorithm>
#include <queue>
#include <tuple>

namespace tfx {

namespace {

using Id = std::uint32_t;
using Pair = std::pair<Id, Id>;

struct PairHash {
  std::size_t operator()(const Pair& pair) const {
    return std::hash<std::uint64_t>()(std::uint64_t{pair.first} << 32 | pair.second);
  }
};

/// A piece as its tokens of now, and how often the text has it.
struct CountedPiece {
  std::vector<Id> ids;
  std::size_t count = 0;
};

class Training {
public:
  explicit Training(const std::vector<std::string_view>& pieces) : tokens_(byte_tokens()) {
    for (Id id = 0; id < tokens_.size(); ++id) ids_[tokens_[id]] = id;
    std::unordered_map<std::string_view, std::size_t> place;
    for (const std::string_view piece : pieces) {
      const auto [at, is_new] = place.try_emplace(piece, pieces_.size());
      if (is_new) pieces_.push_back(of_bytes(piece));
      ++pieces_[at->second].count;
    }
    for (std::size_t i = 0; i < pieces_.size(); ++i) count(i, 1);
    for (const auto& [pair, found] : pairs_) queue_.push({found.count, pair});
  }

  std::size_t different_pieces() const { return pieces_.size(); }

  std::size_t tokens() const {
    std::size_t sum = 0;
    for (const CountedPiece& piece : pieces_) sum += piece.count * piece.ids.size();
    return sum;
  }

  /// Makes the merge of the most frequent pair; none where no pair stands twice.
  std::optional<LearnedMerge> merge_next() {
    while (!queue_.empty()) {
      const auto [count, pair] = queue_.top();
      queue_.pop();
      const std::size_t now = pairs_[pair].count;
      if (now < count && now > 0) queue_.push({now, pair}); // fewer since other merges; more were queued then
      if (now != count || now < 2) continue;
      const auto& [left, right] = pair;
      const LearnedMerge learned{{tokens_[left], tokens_[right]}, count};
      replace(pair, id_of(tokens_[left] + tokens_[right]));
      return learned;
    }
    return std::nullopt;
  }

private:
  struct Found {
    std::size_t count = 0;
    std::vector<std::size_t> pieces; ///< where it stands or stood; a piece may be there twice
  };
  struct Queued {
    std::size_t count;
    Pair pair;
    /// The larger one is merged first.
    bool operator<(const Queued& other) const {
      return std::tie(count, other.pair) < std::tie(other.count, pair);
    }
  };

  CountedPiece of_bytes(std::string_view piece) const {
    CountedPiece counted;
    for (const char byte : piece) counted.ids.push_back(ids_.at(std::string(1, byte)));
    return counted;
  }

  /// A token that two merges make is one token.
  Id id_of(const std::string& token) {
    const auto [found, is_new] = ids_.try_emplace(token, static_cast<Id>(tokens_.size()));
    if (is_new) tokens_.push_back(token);
    return found->second;
  }

  /// Adds the pairs of a piece to the counts, or takes them off: sign 1 or −1.
  void count(std::size_t place, int sign) {
    const CountedPiece& piece = pieces_[place];
    for (std::size_t i = 0; i + 1 < piece.ids.size(); ++i) {
      Found& found = pairs_[{piece.ids[i], piece.ids[i + 1]}];
      found.count += static_cast<std::size_t>(sign) * piece.count; // modulo 2⁶⁴: −1 takes off
      if (sign > 0) found.pieces.push_back(place);
    }
  }

  void replace(const Pair& pair, Id made) {
    std::vector<std::size_t> places = std::move(pairs_[pair].pieces);
    pairs_[pair].pieces.clear();
    std::ranges::sort(places);
    places.erase(std::unique(places.begin(), places.end()), places.end());
    for (const std::size_t place : places) {
      std::vector<Id>& ids = pieces_[place].ids;
      const bool stands =
          std::ranges::adjacent_find(ids, [&](Id a, Id b) { return Pair(a, b) == pair; }) != ids.end();
      if (!stands) continue;
      count(place, -1);
      std::size_t kept = 0;
      for (std::size_t i = 0; i < ids.size(); ++i) {
        const bool merges = i + 1 < ids.size() && Pair(ids[i], ids[i + 1]) == pair;
        ids[kept++] = merges ? made : ids[i];
        i += merges;
      }
      ids.resize(kept);
      count(place, 1);
      for (std::size_t i = 0; i + 1 < kept; ++i)
        if (ids[i] == made || ids[i + 1] == made) fresh_.push_back({ids[i], ids[i + 1]});
    }
    std::ranges::sort(fresh_);
    fresh_.erase(std::unique(fresh_.begin(), fresh_.end()), fresh_.end());
    for (const Pair& one : fresh_) queue_.push({pairs_[one].count, one});
    fresh_.clear();
  }

  std::vector<std::string> tokens_;
  std::unordered_map<std::string, Id> ids_;
  std::vector<CountedPiece> pieces_;
  std::unordered_map<Pair, Found, PairHash> pairs_;
  std::priority_queue<Queued> queue_;
  std::vector<Pair> fresh_; ///< pairs that a merge has made
};

} // namespace

BytePairs LearnedBytePairs::pairs() const {
  std::vector<Merge> all;
  for (const LearnedMerge& one : merges) all.push_back(one.merge);
  return BytePairs(std::move(all));
}

LearnedBytePairs learn_byte_pairs(std::string_view text, std::size_t merges,
                                  const std::function<void(std::size_t)>& tell) {
  require_utf8(text);
  const std::vector<std::string_view> pieces = gpt2_pieces(text);
  Training training(pieces);
  LearnedBytePairs learned;
  learned.bytes = text.size(), learned.pieces = pieces.size();
  learned.different_pieces = training.different_pieces();
  while (learned.merges.size() < merges) {
    if (tell) tell(learned.merges.size());
    const auto next = training.merge_next();
    if (!next) break;
    learned.merges.push_back(*next);
  }
  learned.tokens = training.tokens();
  return learned;
}

} // namespace tfx
