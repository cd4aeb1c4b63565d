#include "model/search.hpp"

#include <algorithm>
#include <numeric>

namespace tfx {

template <class Real>
std::vector<TokenIds> write_tokens(const EncoderDecoder<Real>& model, const Batch& src,
                                   const DecodeLimits& limits, Prefix prefix, const ChooseToken& choose) {
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
      const Real* const column = log_probs.colptr(row);
      const std::uint32_t token = choose({column, column + log_probs.n_rows}, step, live[row]);
      if (token == limits.end) continue;
      written[live[row]].push_back(token);
      going_on.push_back(row), sources.push_back(live[row]), last.push_back(token);
    }
    if (going_on.size() < live.size()) next.keep(going_on);
    live = std::move(sources);
  }
  return written;
}

template <class Real>
std::vector<TokenIds> greedy(const EncoderDecoder<Real>& model, const Batch& src, const DecodeLimits& limits,
                             Prefix prefix) {
  return write_tokens<Real>(model, src, limits, prefix,
                            [](const std::vector<double>& log_probs, std::size_t, std::size_t) {
                              const auto best = std::max_element(log_probs.begin(), log_probs.end());
                              return static_cast<std::uint32_t>(best - log_probs.begin());
                            });
}

template std::vector<TokenIds> write_tokens(const EncoderDecoder<float>&, const Batch&, const DecodeLimits&,
                                            Prefix, const ChooseToken&);
template std::vector<TokenIds> write_tokens(const EncoderDecoder<double>&, const Batch&, const DecodeLimits&,
                                            Prefix, const ChooseToken&);
template std::vector<TokenIds> greedy(const EncoderDecoder<float>&, const Batch&, const DecodeLimits&,
                                      Prefix);
template std::vector<TokenIds> greedy(const EncoderDecoder<double>&, const Batch&, const DecodeLimits&,
                                      Prefix);

} // namespace tfx
