// Lesson bpe: where tokens come from. Source: Sennrich, Haddow, Birch 2016, "Neural Machine Translation of
// Rare Words with Subword Units", section 3.2; byte by byte as GPT-2 does it (Radford et al. 2019,
// section 2.2).

#include "core/tensor.hpp"
#include "input/lesson_input.hpp"
#include "input/subword_input.hpp"
#include "page/subwords.hpp"
#include "steps/attention_steps.hpp"
#include "text/byte_pair_training.hpp"
#include "text/byte_pairs.hpp"
#include "text/display_width.hpp"
#include "trace/checks.hpp"

namespace tfx {

namespace {

using arma::mat;
using arma::uword;
using Names = std::vector<std::string>;

std::string numbered_step(const std::string& name, std::size_t k) {
  return k == 0 ? name : name + "_" + std::to_string(k);
}

/// The symbols' bytes by their numbers, as merges add to them.
Names bytes_of(const Tensor& symbols) {
  Names bytes;
  for (const double byte : symbols.data) bytes.emplace_back(1, static_cast<char>(static_cast<int>(byte)));
  return bytes;
}

Names shown(const Names& symbols) {
  Names names;
  for (const std::string& symbol : symbols) names.push_back(shown_symbol(symbol));
  return names;
}

const std::string& bytes_at(const Names& symbols, double number) {
  return symbols.at(static_cast<std::size_t>(number));
}

/// A row's symbols as bytes.
Names row_of(const Tensor& pieces, std::size_t row, const Names& symbols) {
  Names all;
  for (std::size_t j = 0; j < pieces.shape[1]; ++j)
    if (const double id = pieces.data[row * pieces.shape[1] + j]; id >= 0)
      all.push_back(bytes_at(symbols, id));
  return all;
}

/// "low est": every row's symbols.
std::string cut(const Tensor& pieces, const Names& symbols) {
  std::string text;
  for (std::size_t i = 0; i < pieces.shape[0]; ++i)
    for (const std::string& symbol : row_of(pieces, i, symbols))
      text += (text.empty() ? "" : " ") + shown_symbol(symbol);
  return text;
}

double tokens_of(const Tensor& pieces, const Tensor& counts) {
  double sum = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i)
    if (pieces.data[i] >= 0) sum += counts.data[i / pieces.shape[1]];
  return sum;
}

double tokens_of(const Tensor& pieces) {
  return tokens_of(pieces, Tensor({pieces.shape[0], 1}, std::vector<double>(pieces.shape[0], 1)));
}

/// "e + s → es"; where a matrix has no room for it in front of a row, what it makes: "→ 言".
std::string named_merge(const std::string& left, const std::string& right) {
  constexpr std::size_t room = 16;
  const std::string made = " → " + shown_symbol(left + right),
                    whole = shown_symbol(left) + " + " + shown_symbol(right) + made;
  return display_width(whole) > room ? made.substr(1) : whole;
}

// Counts, the most frequent pair and the text with it merged, so many times; the symbols with what they made.
Names add_merges(Trace& t, std::size_t wanted) {
  Names symbols = bytes_of(t["symbols"]);
  Experiment table{"learned", {"count", "text_tokens", "vocabulary"}, {}, {}};
  std::vector<double> cells;
  std::vector<std::string> pairs, names;
  for (std::size_t k = 1; k <= wanted; ++k) {
    const std::string before = numbered_step("pieces", k - 1), counts = numbered_step("pairs", k),
                      pair = numbered_step("pair", k), number = std::to_string(symbols.size());
    const auto now = static_cast<double>(symbols.size());
    const mat pieces = matrix(t[before]);
    if (page::pair_counts(pieces, arma::vec(t["counts"].data), symbols.size()).max() < 2) break;
    t.add(counts, op::pair_counts(before, std::string("counts")).with(now, number), Role::result);
    t.relabel(0, shown(symbols)), t.relabel(1, shown(symbols));
    t.add(pair, op::most_frequent(counts), Role::result);
    const Tensor &ids = t[pair], &all = t[counts];
    const std::string &left = bytes_at(symbols, ids.data[0]), &right = bytes_at(symbols, ids.data[1]);
    const double count = all.data[static_cast<std::size_t>(ids.data[0] * now + ids.data[1])];
    t.add(numbered_step("pieces", k), op::merge_pair(before, pair).with(now, number), Role::result);
    pairs.push_back(pair);
    table.rows.push_back(shown_symbol(left) + " + " + shown_symbol(right) + " → " +
                         shown_symbol(left + right));
    names.push_back(named_merge(left, right));
    symbols.push_back(left + right);
    cells.insert(cells.end(), {count, tokens_of(t[numbered_step("pieces", k)], t["counts"]),
                               static_cast<double>(symbols.size())});
  }
  if (pairs.empty()) throw usage_error("no_pair_twice", {});
  t.add("merges", op::stacked(pairs), Role::result);
  t.relabel(0, names);
  table.values = Tensor({table.rows.size(), 3}, std::move(cells));
  t.experiments.push_back(std::move(table));
  return symbols;
}

// The word, by every merge in the order in which they were learned.
void add_word(Trace& t, const Names& symbols) {
  const std::size_t merges = t["merges"].shape[0], base = t["symbols"].size();
  Experiment table{"encoded", {"tokens_left"}, {"0: " + cut(t["word"], symbols)}, {}};
  std::vector<double> cells{tokens_of(t["word"])};
  BarPicture picture{{"tokens_left"}, {}};
  const auto draw = [&](const std::string& step, const std::string& merge) {
    std::string name;
    for (const char c : cut(t[step], symbols)) name += c == ' ' ? "·" : std::string(1, c);
    const double left = tokens_of(t[step]);
    picture.rows.push_back(
        {name, {{{{left / cells.front(), false}}, std::to_string(static_cast<int>(left)) + "  " + merge}}});
  };
  draw("word", "");
  for (std::size_t k = 1; k <= merges; ++k) {
    const std::string name = k == merges ? "tokens" : numbered_step("word", k),
                      before = numbered_step("word", k - 1), number = std::to_string(base + k - 1);
    t.add(name,
          op::merge_pair(before, numbered_step("pair", k)).with(static_cast<double>(base + k - 1), number),
          Role::result);
    if (const double left = tokens_of(t[name]); left != cells.back()) {
      table.rows.push_back(std::to_string(k) + ": " + cut(t[name], symbols));
      draw(name, t.experiments.front().rows.at(k - 1));
      cells.push_back(left);
    }
  }
  table.values = Tensor({table.rows.size(), 1}, std::move(cells));
  t.experiments.push_back(std::move(table));
  t.idea = std::move(picture);
}

void check_by_formula(Trace& t) {
  const uword base = t["symbols"].size(), merges = t["merges"].shape[0];
  const page::Learned learned = page::learn(matrix(t["pieces"]), arma::vec(t["counts"].data), base, merges);
  const Tensor& last = t[numbered_step("pieces", merges)];
  t.check_at_most("formula",
                  std::max({relative_difference(matrix(t["merges"]), learned.merges),
                            relative_difference(matrix(last), learned.pieces),
                            relative_difference(matrix(t["tokens"]),
                                                page::encode(matrix(t["word"]), learned.merges, base))}),
                  rounding);
}

// Every row's bytes are what they were.
void check_lossless(Trace& t, const Names& symbols) {
  const std::string last = numbered_step("pieces", t["merges"].shape[0]);
  double lost = 0;
  const auto compare = [&](const std::string& before, const std::string& after) {
    for (std::size_t i = 0; i < t[before].shape[0]; ++i) {
      std::string a, b;
      for (const std::string& symbol : row_of(t[before], i, symbols)) a += symbol;
      for (const std::string& symbol : row_of(t[after], i, symbols)) b += symbol;
      lost += a != b;
    }
  };
  compare("pieces", last), compare("word", "tokens");
  t.check_at_most("lossless", lost, 0);
}

// What tfx bpe train learns from the same text, and bpe encode cuts of the word.
void check_engine(Trace& t, const LessonInput& input, const Names& symbols) {
  const LearnedBytePairs learned = learn_byte_pairs(input.text, input.merges);
  const BytePairs pairs = learned.pairs();
  const Tensor& merges = t["merges"];
  std::size_t equal = 0;
  for (std::size_t k = 0; k < std::min(learned.merges.size(), merges.shape[0]); ++k)
    equal += learned.merges[k].merge ==
             Merge{bytes_at(symbols, merges.data[2 * k]), bytes_at(symbols, merges.data[2 * k + 1])};
  Names tokens, own;
  for (const std::uint32_t id : pairs.encode(input.word)) tokens.push_back(pairs.tokens()[id]);
  for (std::size_t i = 0; i < t["tokens"].shape[0]; ++i)
    for (const std::string& symbol : row_of(t["tokens"], i, symbols)) own.push_back(symbol);
  const bool same = equal == learned.merges.size() && equal == merges.shape[0] && tokens == own;
  t.check("engine", same, static_cast<double>(equal));
}

void state(Trace& t, const LessonInput& input, const Names& symbols) {
  const Tensor &merges = t["merges"], &pairs = t["pairs_1"], &first = t["pair_1"];
  const std::size_t made = merges.shape[0];
  const auto whole = [](double number) { return std::to_string(static_cast<std::size_t>(number)); };
  const Tensor& last = t[numbered_step("pieces", made)];
  t.facts["blank"] = shown_symbol(" ");
  t.facts["made"] = whole(static_cast<double>(made));
  if (made < input.merges) t.facts["wanted"] = whole(static_cast<double>(input.merges));
  t.facts["left"] = shown_symbol(bytes_at(symbols, first.data[0]));
  t.facts["right"] = shown_symbol(bytes_at(symbols, first.data[1]));
  t.facts["joined"] = shown_symbol(bytes_at(symbols, first.data[0]) + bytes_at(symbols, first.data[1]));
  const double most = matrix(pairs).max();
  t.facts["most"] = whole(most);
  if (const auto ties = std::ranges::count(pairs.data, most); ties > 1)
    t.facts["ties"] = whole(static_cast<double>(ties));
  t.facts["bytes"] = whole(tokens_of(t["pieces"], t["counts"]));
  t.facts["text_after"] = whole(tokens_of(last, t["counts"]));
  t.facts["base"] = whole(static_cast<double>(t["symbols"].size()));
  const std::vector<std::string>& known = t.step_named("pieces").labels.at(0);
  t.facts["new_word"] = shown_symbol(input.word);
  t.facts[std::ranges::count(known, shown_symbol(input.word)) ? "rare" : "unseen"] = shown_symbol(input.word);
  t.facts["parts"] = cut(t["tokens"], symbols);
  t.facts["part_count"] = whole(tokens_of(t["tokens"]));
  t.facts["word_bytes"] = whole(tokens_of(t["word"]));
  std::size_t whole_pieces = 0;
  for (std::size_t i = 0; i < last.shape[0]; ++i)
    if (const Names row = row_of(last, i, symbols); row.size() == 1 && row[0].size() > 1) {
      if (!whole_pieces++) t.facts["whole_piece"] = shown_symbol(row[0]);
    }
  if (!whole_pieces) t.facts["none_whole"] = std::string();
  if (!input.reference.empty()) t.facts["shipped"] = std::string();
}

} // namespace

Trace run_bpe(const LessonInput& input) {
  Trace t = begin_trace("bpe", input, "tokens");
  for (const char* name : {"symbols", "pieces", "counts", "word"}) give(t, input, name);
  const Names symbols = add_merges(t, input.merges);
  add_word(t, symbols);
  const Tensor& pair = t["pair_1"]; // the first that was chosen: where it was counted
  t.spotlight = {"pairs_1",
                 Index{static_cast<std::size_t>(pair.data[0]), static_cast<std::size_t>(pair.data[1])}};
  check_by_formula(t);
  check_lossless(t, symbols);
  if (!input.text.empty()) {
    check_engine(t, input, symbols);
    state(t, input, symbols);
  }
  return t;
}

} // namespace tfx
