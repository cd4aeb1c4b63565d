#include "model/search.hpp"

#include "core/error.hpp"
#include "random/stream.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tfx {

namespace {

/// What every row reads before its first token is written.
std::vector<TokenIds> first_tokens(const Prompt& prompt, const DecodeLimits& limits) {
  return prompt.written.empty() ? std::vector<TokenIds>(prompt.rows(), {limits.start}) : prompt.written;
}

/// Room for `count` rows of all that is read: the prompt, and all that is written but the last token.
CacheRoom room_for(const std::vector<TokenIds>& begun, const DecodeLimits& limits, std::size_t count) {
  std::size_t longest = 0;
  for (const TokenIds& row : begun) longest = std::max(longest, row.size());
  return {longest + limits.max_tokens - std::min<std::size_t>(longest + limits.max_tokens, 1), count};
}

} // namespace

template <class Real>
std::vector<TokenIds> write_tokens(const Transformer<Real>& model, const Prompt& prompt,
                                   const DecodeLimits& limits, Prefix prefix, const ChooseToken& choose) {
  const std::size_t count = prompt.rows();
  std::vector<TokenIds> fresh = first_tokens(prompt, limits);
  NextToken<Real> next(model, prompt, room_for(fresh, limits, count), prefix);
  std::vector<TokenIds> written(count);
  std::vector<std::size_t> live(count); // the row of the prompt that each is
  std::iota(live.begin(), live.end(), std::size_t{0});
  for (std::size_t step = 0; step < limits.max_tokens && !live.empty(); ++step) {
    const arma::Mat<Real> log_probs = next.after(fresh);
    std::vector<std::size_t> going_on, sources;
    fresh.clear();
    for (std::size_t row = 0; row < live.size(); ++row) {
      const Real* const column = log_probs.colptr(row);
      const std::uint32_t token = choose({column, column + log_probs.n_rows}, step, live[row]);
      if (token == limits.end) continue;
      written[live[row]].push_back(token);
      going_on.push_back(row), sources.push_back(live[row]), fresh.push_back({token});
    }
    if (going_on.size() < live.size()) next.keep(going_on);
    live = std::move(sources);
  }
  return written;
}

template <class Real>
std::vector<TokenIds> greedy(const Transformer<Real>& model, const Prompt& prompt, const DecodeLimits& limits,
                             Prefix prefix) {
  return write_tokens<Real>(model, prompt, limits, prefix,
                            [](const std::vector<double>& log_probs, std::size_t, std::size_t) {
                              const auto best = std::max_element(log_probs.begin(), log_probs.end());
                              return static_cast<std::uint32_t>(best - log_probs.begin());
                            });
}

template std::vector<TokenIds> write_tokens(const Transformer<float>&, const Prompt&, const DecodeLimits&,
                                            Prefix, const ChooseToken&);
template std::vector<TokenIds> write_tokens(const Transformer<double>&, const Prompt&, const DecodeLimits&,
                                            Prefix, const ChooseToken&);
template std::vector<TokenIds> greedy(const Transformer<float>&, const Prompt&, const DecodeLimits&, Prefix);
template std::vector<TokenIds> greedy(const Transformer<double>&, const Prompt&, const DecodeLimits&, Prefix);

namespace {

void require_ranges(const Sampling& sampling) {
  const auto refuse = [](const Message& what, const Message& hint) {
    throw Error(ErrorKind::bad_data, what, hint);
  };
  if (!(sampling.temperature > 0 && std::isfinite(sampling.temperature)))
    refuse(said("a temperature must be a number above 0"),
           said("near 0 the most probable token is all that remains"));
  if (sampling.top_k == 0) refuse(said("top-k 0 lets no token through"), said("top-k 1 is greedy"));
  if (!(sampling.top_p > 0 && sampling.top_p <= 1))
    refuse(said("top-p must be above 0 and at most 1"), said("top-p 1 lets every token through"));
}

void renormalise(std::vector<Choice>& kept) {
  double sum = 0;
  for (const Choice& choice : kept) sum += choice.probability;
  for (Choice& choice : kept) choice.probability /= sum;
}

} // namespace

std::vector<Choice> choices(const std::vector<double>& log_probs, const Sampling& sampling) {
  require_ranges(sampling);
  const double max_log_prob = *std::max_element(log_probs.begin(), log_probs.end());
  std::vector<Choice> kept;
  for (std::size_t token = 0; token < log_probs.size(); ++token)
    kept.push_back({static_cast<std::uint32_t>(token),
                    std::exp((log_probs[token] - max_log_prob) / sampling.temperature)}); // the largest is 1
  std::stable_sort(kept.begin(), kept.end(),
                   [](const Choice& a, const Choice& b) { return a.probability > b.probability; });
  if (sampling.top_k) kept.resize(std::min(kept.size(), *sampling.top_k));
  renormalise(kept);
  if (sampling.top_p == 1) return kept;
  double mass = 0;
  std::size_t count = 0;
  while (count < kept.size() && mass < sampling.top_p) mass += kept[count++].probability;
  kept.resize(count);
  renormalise(kept);
  return kept;
}

std::uint32_t draw(const std::vector<Choice>& choices, double uniform) {
  for (const Choice& choice : choices) {
    if (uniform < choice.probability) return choice.token;
    uniform -= choice.probability;
  }
  return choices.back().token; // what rounding has left of 1
}

template <class Real>
std::vector<TokenIds> sample(const Transformer<Real>& model, const Prompt& prompt, const DecodeLimits& limits,
                             const Sampling& sampling, Prefix prefix) {
  return write_tokens<Real>(model, prompt, limits, prefix,
                            [&](const std::vector<double>& log_probs, std::size_t step, std::size_t source) {
                              RandomStream numbers(sampling.seed, stream_number("sample"), step);
                              return draw(choices(log_probs, sampling), numbers.uniform(source));
                            });
}

template std::vector<TokenIds> sample(const Transformer<float>&, const Prompt&, const DecodeLimits&,
                                      const Sampling&, Prefix);
template std::vector<TokenIds> sample(const Transformer<double>&, const Prompt&, const DecodeLimits&,
                                      const Sampling&, Prefix);

namespace {

/// The `count` most probable tokens of a column, the best first, of equal ones the lowest id first.
template <class Real>
TokenIds best_tokens(const arma::Mat<Real>& log_probs, std::size_t row, std::size_t count) {
  const Real* const column = log_probs.colptr(row);
  TokenIds tokens(log_probs.n_rows);
  std::iota(tokens.begin(), tokens.end(), 0u);
  const auto middle = tokens.begin() + static_cast<std::ptrdiff_t>(std::min(count, tokens.size()));
  std::partial_sort(tokens.begin(), middle, tokens.end(), [&](std::uint32_t a, std::uint32_t b) {
    return column[a] != column[b] ? column[a] > column[b] : a < b;
  });
  tokens.erase(middle, tokens.end());
  return tokens;
}

/// A tree on its way down.
class BeamSearch {
public:
  BeamSearch(const DecodeLimits& limits, const Beam& beam) : limits_(limits), beam_(beam) {}

  /// The nodes of the live rows' next tokens. live[row] is the node that row stands on; before the first
  /// token there is one row and no node.
  template <class Real>
  void expand(const arma::Mat<Real>& log_probs) {
    for (std::size_t row = 0; row < log_probs.n_cols; ++row) {
      const bool first = live.empty();
      const std::optional<std::size_t> parent = first ? std::nullopt : std::optional(live[row]);
      for (const std::uint32_t token : best_tokens(log_probs, row, beam_.width)) {
        BeamNode node;
        node.parent = parent, node.token = token;
        node.length = first ? 1 : tree.nodes[*parent].length + 1;
        node.log_prob = static_cast<double>(log_probs(token, row));
        node.sum = (first ? 0 : tree.nodes[*parent].sum) + node.log_prob;
        node.score = node.sum / length_penalty(node.length, beam_.length_penalty);
        node.ended = token == limits_.end;
        candidates_.push_back(tree.nodes.size());
        rows_.push_back(row);
        tree.nodes.push_back(node);
      }
    }
  }

  /// Keeps the best of the ended targets and of the new nodes → the row that each live one came from.
  std::vector<std::size_t> prune() {
    const std::size_t first_new = tree.nodes.size() - rows_.size();
    tree.ranked.erase(std::remove_if(tree.ranked.begin(), tree.ranked.end(),
                                     [&](std::size_t node) { return !tree.nodes[node].ended; }),
                      tree.ranked.end());
    tree.ranked.insert(tree.ranked.end(), candidates_.begin(), candidates_.end());
    std::stable_sort(tree.ranked.begin(), tree.ranked.end(),
                     [&](std::size_t a, std::size_t b) { return tree.nodes[a].score > tree.nodes[b].score; });
    tree.ranked.resize(std::min(tree.ranked.size(), beam_.width));
    live.clear();
    std::vector<std::size_t> from;
    for (const std::size_t node : tree.ranked) {
      tree.nodes[node].kept = true;
      if (tree.nodes[node].ended) continue;
      live.push_back(node), from.push_back(rows_[node - first_new]);
    }
    candidates_.clear(), rows_.clear();
    return from;
  }

  std::vector<TokenIds> last_tokens() const {
    std::vector<TokenIds> last;
    for (const std::size_t node : live) last.push_back({tree.nodes[node].token});
    return last;
  }

  BeamTree tree;
  std::vector<std::size_t> live; ///< the node of each row of the model

private:
  const DecodeLimits& limits_;
  const Beam& beam_;
  std::vector<std::size_t> candidates_, rows_; ///< of this step: new nodes, and the rows they came from
};

} // namespace

double length_penalty(std::size_t length, double exponent) {
  return std::pow((5 + static_cast<double>(length)) / 6, exponent);
}

TokenIds BeamTree::tokens(std::size_t node) const {
  TokenIds reversed;
  for (std::optional<std::size_t> at = node; at; at = nodes[*at].parent)
    if (!nodes[*at].ended) reversed.push_back(nodes[*at].token);
  return {reversed.rbegin(), reversed.rend()};
}

template <class Real>
BeamTree beam_search(const Transformer<Real>& model, const Prompt& prompt, const DecodeLimits& limits,
                     const Beam& beam, Prefix prefix) {
  if (prompt.rows() != 1)
    throw Error(ErrorKind::bad_data,
                said("a beam searches the target of one source, not of {count}", {{"count", prompt.rows()}}),
                said("search for each source by itself"));
  if (beam.width == 0)
    throw Error(ErrorKind::bad_data, said("a beam of width 0 keeps no target"),
                said("a width of 1 is greedy"));
  std::vector<TokenIds> fresh = first_tokens(prompt, limits);
  NextToken<Real> next(model, prompt, room_for(fresh, limits, beam.width), prefix);
  BeamSearch search(limits, beam);
  for (std::size_t step = 0; step < limits.max_tokens && !fresh.empty(); ++step) {
    search.expand(next.after(fresh));
    next.keep(search.prune());
    fresh = search.last_tokens();
  }
  return std::move(search.tree);
}

template BeamTree beam_search(const Transformer<float>&, const Prompt&, const DecodeLimits&, const Beam&,
                              Prefix);
template BeamTree beam_search(const Transformer<double>&, const Prompt&, const DecodeLimits&, const Beam&,
                              Prefix);

} // namespace tfx
