#include "model/search.hpp"

#include <algorithm>
#include <numeric>

namespace tfx {

namespace {

template <class Real>
std::uint32_t most_probable(const arma::Mat<Real>& log_probs, std::size_t row) {
  const Real* const first = log_probs.colptr(row);
  return static_cast<std::uint32_t>(std::max_element(first, first + log_probs.n_rows) - first);
}

} // namespace

template <class Real>
std::vector<TokenIds> greedy(const EncoderDecoder<Real>& model, const Batch& src, const Limits& limits,
                             Prefix prefix) {
  const std::size_t count = src.sequences.count();
  NextToken<Real> next(model, src, {limits.max_tokens, count}, prefix);
  std::vector<TokenIds> written(count);
  std::vector<std::size_t> live(count); // the source of each row
  std::iota(live.begin(), live.end(), std::size_t{0});
  TokenIds last(count, limits.start);
  for (std::size_t step = 0; step < limits.max_tokens && !live.empty(); ++step) {
    const arma::Mat<Real> log_probs = next.after(last);
    std::vector<std::size_t> going_on, sources;
    last.clear();
    for (std::size_t row = 0; row < live.size(); ++row) {
      const std::uint32_t token = most_probable(log_probs, row);
      if (token == limits.end) continue;
      written[live[row]].push_back(token);
      going_on.push_back(row), sources.push_back(live[row]), last.push_back(token);
    }
    if (going_on.size() < live.size()) next.keep(going_on);
    live = std::move(sources);
  }
  return written;
}

template std::vector<TokenIds> greedy(const EncoderDecoder<float>&, const Batch&, const Limits&, Prefix);
template std::vector<TokenIds> greedy(const EncoderDecoder<double>&, const Batch&, const Limits&, Prefix);

} // namespace tfx
