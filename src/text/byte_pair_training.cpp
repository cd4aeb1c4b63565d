#include "text/byte_pair_training.hpp"

#include "core/error.hpp"
#include "core/memory.hpp"
#include "text/byte_pairs.hpp"
#include "text/tokens.hpp"

#include <algorithm>
#include <limits>
#include <queue>
#include <tuple>
#include <utility>

namespace tfx {

namespace {

Message learning() {
  return said("learning merges");
}

using Id = std::uint32_t;
using Pair = std::pair<Id, Id>;
using Place = std::uint32_t;
constexpr Place nowhere = std::numeric_limits<Place>::max();

struct PairHash {
  std::size_t operator()(const Pair& pair) const {
    return std::hash<std::uint64_t>()(std::uint64_t{pair.first} << 32 | pair.second);
  }
};

using CountedPieces = std::unordered_map<std::string_view, std::uint32_t>;

/// Each different piece and how often the text has it. They are asked for as they become more: a text of
/// gigabytes may have few.
CountedPieces count_pieces(std::string_view text, std::size_t& pieces) {
  constexpr double a_piece = 80; // its node, and its place in the table
  std::size_t asked = std::size_t{1} << 17;
  CountedPieces counted;
  for_each_piece(text, [&](std::string_view piece) {
    ++pieces;
    ++counted[piece];
    if (counted.size() == asked) require_memory(a_piece * static_cast<double>(asked), learning()), asked *= 2;
  });
  return counted;
}

/// A token of a piece.
struct Symbol {
  Id id;
  std::uint32_t count; ///< how often the text has the piece
  Place before, next;  ///< in the piece
};

/// How often a pair stands in the text, and the places of its left token. From some of them it has gone
/// since: each is looked at when its turn comes.
struct Found {
  std::size_t count = 0;
  std::vector<Place> places;

  void add(Place place, std::size_t times) {
    count += times;
    places.push_back(place);
  }
};

/// What stands on one side of the pair that is merged, by token. So a merge looks up each neighbour once, not
/// at every place.
struct Neighbours {
  std::vector<Found> found; ///< by id
  std::vector<Id> ids;      ///< that were found

  void add(Id id, Place place, std::size_t times) {
    if (id >= found.size()) found.resize(id + 1);
    if (found[id].count == 0) ids.push_back(id);
    found[id].add(place, times);
  }

  void clear() {
    for (const Id id : ids) found[id].count = 0, found[id].places.clear();
    ids.clear();
  }
};

class Training {
public:
  explicit Training(const CountedPieces& pieces) : tokens_(byte_tokens()) {
    for (Id id = 0; id < tokens_.size(); ++id) ids_[tokens_[id]] = id;
    std::size_t bytes = 0;
    for (const auto& [piece, count] : pieces) bytes += piece.size();
    constexpr double a_byte = 60; // 28 at 2,000 merges, 56 of random characters until no pair stands twice
    require_memory(a_byte * static_cast<double>(bytes), learning());
    symbols_.reserve(bytes);
    for (const auto& [piece, count] : pieces) append(piece, count);
    for (Place place = 0; place < symbols_.size(); ++place)
      if (const Symbol& left = symbols_[place]; left.next != nowhere)
        pairs_[{left.id, symbols_[left.next].id}].add(place, left.count);
    for (const auto& [pair, found] : pairs_) queue(pair, found.count);
  }

  std::size_t tokens() const {
    std::size_t sum = 0;
    for (const Symbol& symbol : symbols_)
      if (symbol.id != gone) sum += symbol.count;
    return sum;
  }

  /// Makes the merge of the most frequent pair; none where no pair stands twice.
  std::optional<LearnedMerge> merge_next() {
    while (!queue_.empty()) {
      const auto [count, pair] = queue_.top();
      queue_.pop();
      const std::size_t now = count_of(pair);
      if (now < count) queue(pair, now); // fewer since other merges; more were queued then
      if (now != count) continue;
      const auto& [left, right] = pair;
      const LearnedMerge learned{{tokens_[left], tokens_[right]}, count};
      merge(pair, id_of(tokens_[left] + tokens_[right]));
      return learned;
    }
    return std::nullopt;
  }

private:
  static constexpr Id gone = std::numeric_limits<Id>::max(); ///< of a symbol that was merged into another

  struct Queued {
    std::size_t count;
    Pair pair;
    /// The larger one is merged first.
    bool operator<(const Queued& other) const {
      return std::tie(count, other.pair) < std::tie(other.count, pair);
    }
  };

  void append(std::string_view piece, std::uint32_t count) {
    const auto begin = static_cast<Place>(symbols_.size()), end = static_cast<Place>(begin + piece.size());
    for (Place place = begin; place < end; ++place)
      symbols_.push_back({ids_.at(std::string(1, piece[place - begin])), count,
                          place == begin ? nowhere : place - 1, place + 1 == end ? nowhere : place + 1});
  }

  /// A token that two merges make is one token.
  Id id_of(const std::string& token) {
    const auto [found, is_new] = ids_.try_emplace(token, static_cast<Id>(tokens_.size()));
    if (is_new) tokens_.push_back(token);
    return found->second;
  }

  std::size_t count_of(const Pair& pair) const {
    const auto found = pairs_.find(pair);
    return found == pairs_.end() ? 0 : found->second.count;
  }

  void queue(const Pair& pair, std::size_t count) {
    if (count > 1) queue_.push({count, pair}); // what stands once is no pattern
  }

  /// Everywhere, in each piece from left to right: of aaa the first two.
  void merge(const Pair& pair, Id made) {
    std::vector<Place> places = std::move(pairs_.extract(pair).mapped().places);
    if (!std::ranges::is_sorted(places)) std::ranges::sort(places);
    for (const Place place : places) {
      Symbol& left = symbols_[place];
      if (left.id != pair.first || left.next == nowhere || symbols_[left.next].id != pair.second) continue;
      Symbol& right = symbols_[left.next];
      if (left.before != nowhere) before_.add(symbols_[left.before].id, left.before, left.count);
      if (right.next != nowhere) behind_.add(symbols_[right.next].id, place, left.count);
      left.id = made, left.next = right.next, right.id = gone;
      if (left.next != nowhere) symbols_[left.next].before = place;
    }
    // Of abab the first merge makes a pair that the second one takes off: more comes before fewer.
    for (const Id id : before_.ids) more({id, made}, before_.found[id]);
    for (const Id id : behind_.ids) more({made, id}, behind_.found[id]);
    for (const Id id : before_.ids) fewer({id, pair.first}, before_.found[id].count);
    for (const Id id : behind_.ids) fewer({pair.second, id}, behind_.found[id].count);
    for (const Id id : before_.ids) queue({id, made}, count_of({id, made}));
    for (const Id id : behind_.ids) queue({made, id}, count_of({made, id}));
    before_.clear(), behind_.clear();
  }

  void more(const Pair& pair, const Found& made) {
    Found& found = pairs_[pair];
    found.count += made.count;
    found.places.insert(found.places.end(), made.places.begin(), made.places.end());
  }

  void fewer(const Pair& pair, std::size_t count) {
    const auto found = pairs_.find(pair);
    if (found == pairs_.end()) return; // of aaa the second aa: the pair that is merged
    found->second.count -= count;
    if (found->second.count == 0) pairs_.erase(found);
  }

  std::vector<std::string> tokens_;
  std::unordered_map<std::string, Id> ids_;
  std::vector<Symbol> symbols_; ///< piece after piece
  std::unordered_map<Pair, Found, PairHash> pairs_;
  std::priority_queue<Queued> queue_;
  Neighbours before_, behind_; ///< of the merge that is made
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
  if (text.size() >= nowhere) throw usage(said("the text has more than 4 GB"), said("take a part of it"));
  LearnedBytePairs learned;
  learned.bytes = text.size();
  Training training = [&] {
    const CountedPieces pieces = count_pieces(text, learned.pieces);
    learned.different_pieces = pieces.size();
    return Training(pieces);
  }();
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
