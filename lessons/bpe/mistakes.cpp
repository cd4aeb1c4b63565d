// What learners write instead of counting, choosing and making merges.

#include "page/subwords.hpp"
#include "trace/mistake.hpp"

#include <algorithm>

namespace tfx {

namespace {

using arma::mat;
using arma::uword;
using Symbols = std::vector<double>;

Symbols symbols_of_row(const mat& pieces, uword i) {
  Symbols row;
  for (uword j = 0; j < pieces.n_cols && pieces(i, j) >= 0; ++j) row.push_back(pieces(i, j));
  return row;
}

void set_row(mat& pieces, uword i, const Symbols& symbols) {
  for (uword j = 0; j < pieces.n_cols; ++j) pieces(i, j) = j < symbols.size() ? symbols[j] : -1;
}

/// Each row of the word, cut in another way.
template <class Cut>
Tensor cut_otherwise(const Trace& t, const Cut& other) {
  mat word = matrix(t["word"]);
  for (uword i = 0; i < word.n_rows; ++i) set_row(word, i, other(symbols_of_row(word, i)));
  return to_tensor(word);
}

// zip(flat, flat[1:]) of all pieces in one row.
std::optional<Step> across_words(const Trace& t, const Step& right) {
  if (!right.operation.is(op::pair_counts)) return {};
  const mat pieces = matrix(t[right.operation.inputs[0]]);
  const Tensor& counts = t["counts"];
  mat pairs(uword(right.operation.constant), uword(right.operation.constant), arma::fill::zeros);
  double before = -1, times = 0;
  for (uword i = 0; i < pieces.n_rows; ++i)
    for (const double symbol : symbols_of_row(pieces, i)) {
      if (before >= 0) pairs(uword(before), uword(symbol)) += times;
      before = symbol, times = counts.data[i];
    }
  return valued_instead(right, "zip(flat, flat[1:])", to_tensor(pairs));
}

// A piece counts once, however often the text has it.
std::optional<Step> types(const Trace& t, const Step& right) {
  if (!right.operation.is(op::pair_counts)) return {};
  const mat pieces = matrix(t[right.operation.inputs[0]]);
  return valued_instead(right, "counts: 1",
                        to_tensor(page::pair_counts(pieces, arma::vec(pieces.n_rows, arma::fill::ones),
                                                    uword(right.operation.constant))));
}

// if count >= best: of equal ones the last.
std::optional<Step> ties(const Trace& t, const Step& right) {
  if (!right.operation.is(op::most_frequent)) return {};
  const Tensor& pairs = t[right.operation.inputs[0]];
  std::size_t last = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i)
    if (pairs.data[i] >= pairs.data[last]) last = i;
  const std::size_t width = pairs.shape[1];
  return valued_instead(
      right, "count >= best",
      Tensor({1, 2}, {static_cast<double>(last / width), static_cast<double>(last % width)}));
}

std::optional<Step> overlap(const Trace& t, const Step& right) {
  if (!right.operation.is(op::merge_pair)) return {};
  mat pieces = matrix(t[right.operation.inputs[0]]);
  const Tensor& pair = t[right.operation.inputs[1]];
  for (uword i = 0; i < pieces.n_rows; ++i) {
    Symbols row = symbols_of_row(pieces, i);
    for (std::size_t j = row.size(); j-- > 1;)
      if (row[j - 1] == pair.data[0] && row[j] == pair.data[1]) {
        row[j - 1] = right.operation.constant;
        row.erase(row.begin() + static_cast<std::ptrdiff_t>(j));
      }
    set_row(pieces, i, row);
  }
  return valued_instead(right, right.formula + ", ←", to_tensor(pieces));
}

// At each place the longest token that fits.
std::optional<Step> longest_match(const Trace& t, const Step& right) {
  if (t.lesson != "bpe" || right.name != "tokens") return {};
  const std::size_t base = t["symbols"].size();
  const Tensor& merges = t["merges"];
  std::vector<Symbols> made; // what each token is made of
  for (std::size_t i = 0; i < base; ++i) made.push_back({static_cast<double>(i)});
  for (std::size_t k = 0; k < merges.shape[0]; ++k) {
    const auto left = static_cast<std::size_t>(merges.data[2 * k]),
               other = static_cast<std::size_t>(merges.data[2 * k + 1]);
    if (left >= made.size() || other >= made.size()) return {};
    Symbols both = made[left];
    both.insert(both.end(), made[other].begin(), made[other].end());
    made.push_back(std::move(both));
  }
  return valued_instead(
      right, "max(vocabulary, key=len)", cut_otherwise(t, [&](const Symbols& word) {
        Symbols tokens;
        for (std::size_t at = 0; at < word.size();) {
          std::size_t best = static_cast<std::size_t>(word[at]);
          for (std::size_t id = base; id < made.size(); ++id) {
            const Symbols& token = made[id];
            if (token.size() > made[best].size() && token.size() <= word.size() - at &&
                std::equal(token.begin(), token.end(), word.begin() + static_cast<std::ptrdiff_t>(at)))
              best = id;
          }
          tokens.push_back(static_cast<double>(best));
          at += made[best].size();
        }
        return tokens;
      }));
}

// Of the learned pairs the one that the new word has most often, of equal ones the leftmost.
std::optional<Step> recount(const Trace& t, const Step& right) {
  if (t.lesson != "bpe" || right.name != "tokens") return {};
  const double base = static_cast<double>(t["symbols"].size());
  const mat merges = matrix(t["merges"]);
  return valued_instead(right, "Counter(zip(word, word[1:]))", cut_otherwise(t, [&](const Symbols& word) {
                          Symbols tokens = word;
                          while (true) {
                            std::size_t most = 0;
                            uword best = 0;
                            for (std::size_t i = 0; i + 1 < tokens.size(); ++i)
                              for (uword k = 0; k < merges.n_rows; ++k) {
                                if (merges(k, 0) != tokens[i] || merges(k, 1) != tokens[i + 1]) continue;
                                std::size_t times = 0;
                                for (std::size_t j = 0; j + 1 < tokens.size(); ++j)
                                  times += tokens[j] == tokens[i] && tokens[j + 1] == tokens[i + 1];
                                if (times > most) most = times, best = k;
                              }
                            if (most == 0) return tokens;
                            mat row(1, tokens.size());
                            set_row(row, 0, tokens);
                            tokens = symbols_of_row(
                                page::merge_pair(row, merges.row(best), base + static_cast<double>(best)), 0);
                          }
                        }));
}

} // namespace

std::vector<Mistake> bpe_mistakes() {
  // With "her" before "the", "there" ends as t·her·e: the longest token from the left would be the, and so
  // would the first pair that there itself has.
  const std::vector<std::pair<std::string, std::string>> her{{"--text", "her her her the the"},
                                                             {"--word", "there"}};
  return {{"bpe.across_words", across_words},
          {"bpe.types", types},
          {"bpe.ties", ties},
          Mistake{"bpe.overlap", overlap}.seen_by({{"--text", "hahaha hahaha"}}),
          Mistake{"bpe.longest_match", longest_match}.seen_by(her),
          Mistake{"bpe.recount", recount}.seen_by(her)};
}

} // namespace tfx
