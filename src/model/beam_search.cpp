#include "model/beam_search.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tfx {

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

  TokenIds last_tokens() const {
    TokenIds last;
    for (const std::size_t node : live) last.push_back(tree.nodes[node].token);
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
BeamTree beam_search(const EncoderDecoder<Real>& model, const Batch& src, const DecodeLimits& limits,
                     const Beam& beam, Prefix prefix) {
  if (src.sequences.count() != 1)
    throw Error(
        ErrorKind::bad_data,
        said("a beam searches the target of one source, not of {count}", {{"count", src.sequences.count()}}),
        said("search for each source by itself"));
  if (beam.width == 0)
    throw Error(ErrorKind::bad_data, said("a beam of width 0 keeps no target"),
                said("a width of 1 is greedy"));
  NextToken<Real> next(model, src, {limits.max_tokens, beam.width}, prefix);
  BeamSearch search(limits, beam);
  TokenIds last{limits.start};
  for (std::size_t step = 0; step < limits.max_tokens && !last.empty(); ++step) {
    search.expand(next.after(last));
    next.keep(search.prune());
    last = search.last_tokens();
  }
  return std::move(search.tree);
}

template BeamTree beam_search(const EncoderDecoder<float>&, const Batch&, const DecodeLimits&, const Beam&,
                              Prefix);
template BeamTree beam_search(const EncoderDecoder<double>&, const Batch&, const DecodeLimits&, const Beam&,
                              Prefix);

} // namespace tfx
