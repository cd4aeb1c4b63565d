#include "lessons/learned.hpp"

#include "core/resource.hpp"
#include "core/tensor.hpp"
#include "io/csv.hpp"
#include "lessons/known_models.hpp"
#include "lessons/neighbours.hpp"
#include "model/checkpoint.hpp"
#include "model/search.hpp"
#include "model/shipped.hpp"
#include "model/transformer.hpp"
#include "text/tokens.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tfx {

namespace {

using Names = std::vector<std::string>;

constexpr std::size_t most_rows = 4; // of a box of eight
constexpr const char* table_file = "data/learned/en-zh.csv";

/// What a lesson's box shows: of the encoder's and the decoder's own attention the first layer, where the
/// words still stand for themselves; of what the decoder reads of the source the last.
enum class Shown { neighbours, encoder_head, encoder_heads, decoder_head, cross_head };

std::optional<Shown> shown_in(const std::string& lesson) {
  static const std::pair<const char*, Shown> boxes[] = {{"words", Shown::neighbours},
                                                        {"attention", Shown::encoder_head},
                                                        {"multihead", Shown::encoder_heads},
                                                        {"masked", Shown::decoder_head},
                                                        {"cross", Shown::cross_head}};
  for (const auto& [name, shown] : boxes)
    if (lesson == name) return shown;
  return std::nullopt;
}

bool has_translator() {
  const std::vector<std::string> shipped = shipped_models();
  return std::ranges::count(shipped, translator) > 0;
}

/// The weights of one attention, a matrix a head.
class WeightsOf : public Observer<float> {
public:
  explicit WeightsOf(std::string attention) : name_(std::move(attention) + ".weights") {}

  bool wants(const std::string& name) override { return name == name_; }
  void report(const std::string&, const StridedView<float>& view) override { weights_ = to_tensor(view); }

  std::vector<arma::mat> heads() const {
    std::vector<arma::mat> all;
    for (std::size_t head = 0; head < matrix_count(weights_); ++head) all.push_back(matrix(weights_, head));
    return all;
  }

private:
  std::string name_;
  Tensor weights_;
};

/// Which keys count for the choice of heads and rows: another place than the row's own, no mark.
class Keys {
public:
  Keys(Names names, std::vector<bool> is_word, bool are_other)
      : names_(std::move(names)), is_word_(std::move(is_word)), are_other_(are_other) {}

  /// The one that the row looks at most, of those that count.
  std::optional<arma::uword> most(const arma::mat& weights, arma::uword row) const {
    std::optional<arma::uword> best;
    for (arma::uword key = 0; key < weights.n_cols; ++key)
      if (is_word_[key] && (!are_other_ || key != row) && (!best || weights(row, key) > weights(row, *best)))
        best = key;
    return best;
  }

  double surest(const arma::mat& weights, arma::uword row) const {
    const auto key = most(weights, row);
    return key ? weights(row, *key) : 0;
  }

  /// Of each row the keys with the largest weights, whichever they are.
  std::vector<std::pair<std::string, double>> largest(const arma::rowvec& weights) const {
    constexpr double worth_saying = 0.05;
    constexpr std::size_t most = 3;
    std::vector<std::pair<std::string, double>> all;
    const arma::uvec order = arma::stable_sort_index(weights, "descend");
    for (const arma::uword key : order)
      if (all.size() < most && (all.empty() || weights(key) >= worth_saying))
        all.emplace_back(names_[key], weights(key));
    return all;
  }

private:
  Names names_;
  std::vector<bool> is_word_;
  bool are_other_;
};

/// The rows that look most decidedly, in the order of the text.
std::vector<arma::uword> chosen(const arma::mat& weights, std::vector<arma::uword> rows, const Keys& keys) {
  const auto sure = [&](arma::uword row) { return keys.surest(weights, row); };
  std::ranges::stable_sort(rows, std::greater{}, sure);
  rows.resize(std::min(rows.size(), most_rows));
  std::ranges::sort(rows);
  return rows;
}

/// The head whose rows look most decidedly.
std::size_t surest_head(const std::vector<arma::mat>& heads, const std::vector<arma::uword>& rows,
                        const Keys& keys) {
  const auto sure = [&](const arma::mat& weights) {
    double sum = 0;
    for (const arma::uword row : rows) sum += keys.surest(weights, row);
    return sum;
  };
  return static_cast<std::size_t>(std::ranges::max_element(heads, {}, sure) - heads.begin());
}

/// What the sentence below the rows quotes: of words the last that looks most at another one, as a phrase
/// ends with what it is about; of other rows the surest. Nothing where all look at themselves or at marks.
std::optional<LearnedPoint> point_of(const Learned& learned, Shown shown) {
  std::optional<LearnedPoint> point;
  for (const LearnedRow& row : learned.rows) {
    const auto& [key, weight] = row.to[0];
    const bool is_last = shown == Shown::encoder_head;
    if (key == row.from || !names_word(key)) continue;
    if (!point || is_last || weight > point->weight) point = LearnedPoint{row.from, row.writes, key, weight};
  }
  return point;
}

class Box {
public:
  Box(std::string lesson, Shown shown, std::string text)
      : shown_(shown),
        file_(shipped_model(translator)),
        spec_(spec_in(file_)),
        card_(card_or_ids(file_, spec_)) {
    learned_.lesson = std::move(lesson), learned_.model = translator, learned_.text = std::move(text);
  }

  std::optional<Learned> learned() {
    if (!knows(card_, learned_.text)) return std::nullopt;
    src_ = card_.src.encode(learned_.text);
    const std::size_t longest = card_.max_src_tokens.value_or(spec_.max_len);
    if (src_.size() > longest) return std::nullopt;
    names_ = tokens_of(card_.src, src_);
    for (arma::uword row = 0; row < src_.size(); ++row)
      if (names_word(card_.src.tokens[src_[row]])) words_.push_back(row);
    switch (shown_) {
    case Shown::neighbours: neighbours(); break;
    case Shown::encoder_head: encoder_head(); break;
    case Shown::encoder_heads: encoder_heads(); break;
    case Shown::decoder_head: decoder_head(); break;
    case Shown::cross_head: cross_head(); break;
    }
    if (learned_.rows.empty()) return std::nullopt;
    learned_.point = point_of(learned_, shown_);
    return std::move(learned_);
  }

private:
  void neighbours() {
    constexpr std::size_t most = 4;
    const std::string table = "src_embed.0.lut.weight";
    const auto& entries = file_.entries();
    const auto at = std::ranges::find(entries, table, &TensorFile::Entry::name);
    const Tensor vectors(at->shape, file_.read(static_cast<std::size_t>(at - entries.begin())));
    const Neighbours found(vectors, [&](std::size_t id) { return names_word(card_.src.tokens[id]); });
    TokenIds asked;
    for (const arma::uword row : words_) {
      const std::uint32_t id = src_[row];
      if (std::ranges::count(asked, id)) continue;
      if (asked.size() == most_rows) break;
      asked.push_back(id);
      LearnedRow line;
      line.from = card_.src.tokens[id];
      for (const Neighbour& near : found.of(id, most))
        line.to.emplace_back(card_.src.tokens[near.row], near.cosine);
      learned_.rows.push_back(std::move(line));
    }
  }

  std::vector<arma::mat> read_by_encoder() {
    learned_.layer = 0;
    WeightsOf weights("encoder.layers.0.self_attn");
    ForwardContext<float> context;
    context.observer = &weights;
    encode(load_encoder<float>(file_, 1), ragged_batch({src_}), context);
    return weights.heads();
  }

  std::vector<bool> are_words() const {
    std::vector<bool> are(names_.size());
    for (const arma::uword row : words_) are[row] = true;
    return are;
  }

  void encoder_head() {
    if (words_.size() < 2) return;
    const std::vector<arma::mat> heads = read_by_encoder();
    const Keys keys(names_, are_words(), true);
    const std::size_t head = surest_head(heads, words_, keys);
    for (const arma::uword row : chosen(heads[head], words_, keys))
      add(names_[row], "", heads[head], row, keys, head);
  }

  /// One word as each head reads it: the word for which the heads differ most in what they look at most.
  void encoder_heads() {
    if (words_.size() < 2) return;
    const std::vector<arma::mat> heads = read_by_encoder();
    const Keys keys(names_, are_words(), false);
    const auto differing = [&](arma::uword row) {
      std::vector<arma::uword> looked_at;
      for (const arma::mat& weights : heads)
        if (const auto key = keys.most(weights, row); key && !std::ranges::count(looked_at, *key))
          looked_at.push_back(*key);
      return looked_at.size();
    };
    const arma::uword row = *std::ranges::max_element(words_, {}, differing);
    for (std::size_t head = 0; head < std::min(heads.size(), most_rows); ++head)
      add(names_[row], "", heads[head], row, keys, head);
  }

  /// The text is translated; what is looked at in an attention of the decoder then.
  std::vector<arma::mat> read_by_decoder(std::size_t layer, const char* attention) {
    learned_.layer = layer;
    const auto model = load_model<float>(file_);
    tgt_ = {card_.start};
    const Batch src = ragged_batch({src_});
    const std::size_t longest = card_.max_tokens - 1;
    const TokenIds answer = greedy(model, src, {card_.start, card_.end, longest}).front();
    tgt_.insert(tgt_.end(), answer.begin(), answer.end());
    written_ = tokens_of(card_.tgt, tgt_);
    learned_.answer = card_.tgt.decode(answer);
    WeightsOf weights(fmt::format("decoder.layers.{}.{}", layer, attention));
    ForwardContext<float> context;
    context.observer = &weights;
    const Batch tgt = ragged_batch({tgt_});
    forward(model, Inputs(src, tgt), context);
    return weights.heads();
  }

  /// Rows that read a token and write one of the answer, from `first` on: not the one that writes its end.
  std::vector<arma::uword> writing(arma::uword first) const {
    std::vector<arma::uword> rows;
    for (arma::uword row = first; row + 1 < tgt_.size(); ++row) rows.push_back(row);
    return rows;
  }

  /// The first two rows have nothing to look back at but themselves and the start.
  void decoder_head() {
    const std::vector<arma::mat> heads = read_by_decoder(0, "self_attn");
    std::vector<bool> are_words(written_.size(), true);
    are_words[0] = false;
    const Keys keys(written_, are_words, true);
    const std::vector<arma::uword> rows = writing(2);
    if (!rows.empty()) take(heads, surest_head(heads, rows, keys), rows, keys);
  }

  /// The layer and the head that the lesson shows where none are asked for.
  void cross_head() {
    const std::vector<arma::mat> heads = read_by_decoder(spec_.layers - 1, "src_attn");
    take(heads, 0, writing(0), Keys(names_, are_words(), false));
  }

  void take(const std::vector<arma::mat>& heads, std::size_t head, const std::vector<arma::uword>& rows,
            const Keys& keys) {
    for (const arma::uword row : chosen(heads[head], rows, keys))
      add(written_[row], written_[row + 1], heads[head], row, keys, head);
  }

  void add(const std::string& from, const std::string& writes, const arma::mat& weights, arma::uword row,
           const Keys& keys, std::size_t head) {
    learned_.rows.push_back({from, writes, keys.largest(weights.row(row)), head});
  }

  Shown shown_;
  TensorFile file_;
  ModelSpec spec_;
  ModelCard card_;
  TokenIds src_, tgt_;
  std::vector<arma::uword> words_; ///< places of tokens that are no marks
  Names names_, written_;          ///< as they are shown
  Learned learned_;
};

Names cut(const std::string& label) {
  Names parts{""};
  for (const char c : label)
    if (c == '|')
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

} // namespace

std::optional<Learned> usual_learned(const std::string& lesson) {
  const std::optional<Shown> shown = shown_in(lesson);
  if (!shown) return std::nullopt;
  static const Csv table = read_labelled_csv(resource(table_file), table_file);
  Learned learned;
  learned.lesson = lesson, learned.model = translator, learned.text = usual_sentence;
  for (std::size_t i = 0; i < table.labels.size(); ++i) {
    const Names parts = cut(table.labels[i]); // lesson|from|writes|to
    if (parts.at(0) != lesson) continue;
    if (parts.at(1).empty()) {
      learned.answer = parts.at(3);
      continue;
    }
    if (*shown != Shown::neighbours) learned.layer = static_cast<std::size_t>(table.values.at({i, 0}));
    const auto head = static_cast<std::size_t>(table.values.at({i, 1}));
    auto& rows = learned.rows;
    if (rows.empty() || rows.back().from != parts[1] || rows.back().head != head)
      rows.push_back({parts[1], parts.at(2), {}, head});
    rows.back().to.emplace_back(parts.at(3), table.values.at({i, 2}));
  }
  learned.point = point_of(learned, *shown);
  return learned;
}

bool knows_words(const std::string& text) {
  if (!has_translator()) return false;
  const TensorFile file = shipped_model(translator);
  return knows(card_or_ids(file, spec_in(file)), text);
}

std::optional<Learned> learned_of(const std::string& lesson, const std::string& text) {
  const std::optional<Shown> shown = shown_in(lesson);
  return shown && has_translator() ? Box(lesson, *shown, text).learned() : std::nullopt;
}

} // namespace tfx
