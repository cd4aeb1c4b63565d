#include "lessons/learned.hpp"

#include "core/resource.hpp"
#include "core/tensor.hpp"
#include "io/csv.hpp"
#include "lessons/known_models.hpp"
#include "lessons/neighbours.hpp"
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

/// The weights of one attention, a matrix a head.
class WeightsOf : public Observer<float> {
public:
  explicit WeightsOf(std::string attention) : name_(std::move(attention) + ".weights") {}

  bool wants(const std::string& name) override { return name == name_; }
  void report(const std::string&, const StridedView<float>& view) override { weights_ = to_tensor(view); }

  std::vector<arma::mat> heads() const {
    Shape shape = weights_.shape;
    const std::size_t columns = shape.back(), rows = shape[shape.size() - 2];
    std::vector<arma::mat> all;
    for (std::size_t first = 0; first < weights_.size(); first += rows * columns) {
      arma::mat head(rows, columns);
      for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j) head(i, j) = weights_.data[first + i * columns + j];
      all.push_back(std::move(head));
    }
    return all;
  }

private:
  std::string name_;
  Tensor weights_;
};

/// Of each row of weights the keys that count, the most first.
LearnedRow looked(const std::string& from, const arma::rowvec& weights, const Names& keys, std::size_t head) {
  constexpr double worth_saying = 0.05;
  constexpr std::size_t most = 3;
  LearnedRow row{from, {}, head};
  const arma::uvec order = arma::stable_sort_index(weights, "descend");
  for (const arma::uword key : order)
    if (row.to.size() < most && (row.to.empty() || weights(key) >= worth_saying))
      row.to.emplace_back(keys[key], weights(key));
  return row;
}

/// How much of a row lies on what it is asked about: with `is_other` on another place than its own, and no
/// mark that begins a text.
double surest(const arma::mat& weights, arma::uword row, bool is_other, arma::uword first_key) {
  double most = 0;
  for (arma::uword key = first_key; key < weights.n_cols; ++key)
    if (!is_other || key != row) most = std::max(most, weights(row, key));
  return most;
}

/// The rows that look most decidedly, in the order of the text.
std::vector<arma::uword> chosen(const arma::mat& weights, std::vector<arma::uword> rows, bool is_other,
                                arma::uword first_key) {
  const auto sure = [&](arma::uword row) { return surest(weights, row, is_other, first_key); };
  std::ranges::stable_sort(rows, std::greater{}, sure);
  rows.resize(std::min(rows.size(), most_rows));
  std::ranges::sort(rows);
  return rows;
}

/// The head whose rows look most decidedly.
std::size_t surest_head(const std::vector<arma::mat>& heads, const std::vector<arma::uword>& rows,
                        bool is_other, arma::uword first_key) {
  const auto sure = [&](const arma::mat& weights) {
    double sum = 0;
    for (const arma::uword row : rows) sum += surest(weights, row, is_other, first_key);
    return sum;
  };
  return static_cast<std::size_t>(std::ranges::max_element(heads, {}, sure) - heads.begin());
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
    if (src_.size() > spec_.max_len) return std::nullopt;
    words_ = tokens_of(card_.src, src_);
    switch (shown_) {
    case Shown::neighbours: neighbours(); break;
    case Shown::encoder_head: encoder_head(); break;
    case Shown::encoder_heads: encoder_heads(); break;
    case Shown::decoder_head: decoder_head(); break;
    case Shown::cross_head: cross_head(); break;
    }
    if (learned_.rows.empty()) return std::nullopt;
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
    for (const std::uint32_t id : src_) {
      if (std::ranges::count(asked, id) || !names_word(card_.src.tokens[id])) continue;
      if (asked.size() == most_rows) break;
      asked.push_back(id);
      LearnedRow row{card_.src.tokens[id], {}, 0};
      for (const Neighbour& near : found.of(id, most))
        row.to.emplace_back(card_.src.tokens[near.row], near.cosine);
      learned_.rows.push_back(std::move(row));
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

  std::vector<arma::uword> all_words() const {
    std::vector<arma::uword> rows;
    for (arma::uword row = 0; row < words_.size(); ++row)
      if (names_word(card_.src.tokens[src_[row]])) rows.push_back(row);
    return rows;
  }

  void encoder_head() {
    if (words_.size() < 2) return;
    const std::vector<arma::mat> heads = read_by_encoder();
    const std::size_t head = surest_head(heads, all_words(), true, 0);
    for (const arma::uword row : chosen(heads[head], all_words(), true, 0))
      learned_.rows.push_back(looked(words_[row], heads[head].row(row), words_, head));
  }

  /// One word as each head reads it: the word for which the heads differ most in what they look at most.
  void encoder_heads() {
    if (words_.size() < 2) return;
    const std::vector<arma::mat> heads = read_by_encoder();
    const auto differing = [&](arma::uword row) {
      std::vector<arma::uword> keys;
      for (const arma::mat& weights : heads)
        if (const arma::uword key = weights.row(row).index_max(); !std::ranges::count(keys, key))
          keys.push_back(key);
      return keys.size();
    };
    const std::vector<arma::uword> rows = all_words();
    if (rows.empty()) return;
    const arma::uword row = *std::ranges::max_element(rows, {}, differing);
    for (std::size_t head = 0; head < std::min(heads.size(), most_rows); ++head)
      learned_.rows.push_back(looked(words_[row], heads[head].row(row), words_, head));
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

  /// What is read, and what is written behind it: of the last token, nothing.
  std::vector<arma::uword> writing(arma::uword first) const {
    std::vector<arma::uword> rows;
    for (arma::uword row = first; row + 1 < tgt_.size(); ++row) rows.push_back(row);
    return rows;
  }

  void decoder_head() {
    const std::vector<arma::mat> heads = read_by_decoder(0, "self_attn");
    const std::vector<arma::uword> rows = writing(2);
    if (!rows.empty()) take(heads, surest_head(heads, rows, true, 1), rows, written_, true, 1);
  }

  void cross_head() {
    const std::vector<arma::mat> heads = read_by_decoder(spec_.layers - 1, "src_attn");
    take(heads, 0, writing(0), words_, false, 0); // the layer and the head that the lesson shows
  }

  void take(const std::vector<arma::mat>& heads, std::size_t head, const std::vector<arma::uword>& rows,
            const Names& keys, bool is_other, arma::uword first_key) {
    const Names labels = reads_and_writes(written_, "");
    for (const arma::uword row : chosen(heads[head], rows, is_other, first_key))
      learned_.rows.push_back(looked(labels[row], heads[head].row(row), keys, head));
  }

  Shown shown_;
  TensorFile file_;
  ModelSpec spec_;
  ModelCard card_;
  TokenIds src_, tgt_;
  Names words_, written_;
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
  if (!shown_in(lesson)) return std::nullopt;
  static const Csv table = read_labelled_csv(resource(table_file), table_file);
  Learned learned{lesson, translator, usual_sentence, {}, {}, {}};
  for (std::size_t i = 0; i < table.labels.size(); ++i) {
    const Names parts = cut(table.labels[i]); // lesson|from|to
    if (parts.at(0) != lesson) continue;
    if (parts.at(1).empty()) {
      learned.answer = parts.at(2);
      continue;
    }
    if (lesson != "words") learned.layer = static_cast<std::size_t>(table.values.at({i, 0}));
    const auto head = static_cast<std::size_t>(table.values.at({i, 1}));
    auto& rows = learned.rows;
    if (rows.empty() || rows.back().from != parts[1] || rows.back().head != head)
      rows.push_back({parts[1], {}, head});
    rows.back().to.emplace_back(parts.at(2), table.values.at({i, 2}));
  }
  return learned;
}

std::optional<Learned> learned_of(const std::string& lesson, const std::string& text) {
  const std::optional<Shown> shown = shown_in(lesson);
  return shown ? Box(lesson, *shown, text).learned() : std::nullopt;
}

std::string learned_csv(const Learned& learned) {
  std::string csv;
  const std::size_t layer = learned.layer.value_or(0);
  if (!learned.answer.empty()) csv += fmt::format("{}||{},{},0,0\n", learned.lesson, learned.answer, layer);
  for (const LearnedRow& row : learned.rows)
    for (const auto& [to, value] : row.to)
      csv += fmt::format("{}|{}|{},{},{},{:.4f}\n", learned.lesson, row.from, to, layer, row.head, value);
  return csv;
}

} // namespace tfx
