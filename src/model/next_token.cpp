#include "model/next_token.hpp"

#include "core/error.hpp"

namespace tfx {

template <class Real>
NextToken<Real>::NextToken(const EncoderDecoder<Real>& model, const Batch& src, const CacheRoom& room,
                           Prefix prefix)
    : model_(model), memory_{encode(model, src), src.sequences} {
  if (prefix == Prefix::cached)
    cache_.emplace(model, Tokens<Real>{memory_.values, memory_.sequences}, room);
  else
    prefixes_.resize(src.sequences.count());
}

template <class Real>
arma::Mat<Real> NextToken<Real>::after(const TokenIds& tokens) {
  const arma::Mat<Real> output = cache_ ? decode_step(model_, *cache_, tokens) : recompute(tokens);
  Sequences one_token_each;
  for (std::size_t row = 0; row < tokens.size(); ++row) one_token_each.append(1);
  arma::Mat<Real> log_probs = generate(model_, Tokens<Real>{output, one_token_each});
  if (log_probs.has_nan())
    throw Error(ErrorKind::bad_data, said("the model's log-probabilities of the next token are not numbers"),
                said("its weights hold NaN or infinity, or grew too large in training"));
  return log_probs;
}

template <class Real>
arma::Mat<Real> NextToken<Real>::recompute(const TokenIds& tokens) {
  for (std::size_t row = 0; row < tokens.size(); ++row) prefixes_[row].push_back(tokens[row]);
  const Batch tgt = ragged_batch(prefixes_);
  const arma::Mat<Real> all = decode(model_, tgt, Tokens<Real>{memory_.values, memory_.sequences});
  arma::Mat<Real> last = unset<Real>(all.n_rows, tokens.size());
  for (std::size_t row = 0; row < tokens.size(); ++row)
    last.col(row) = all.col(tgt.sequences.offsets[row + 1] - 1);
  return last;
}

template <class Real>
void NextToken<Real>::keep(const std::vector<std::size_t>& from) {
  if (cache_) return cache_->keep(from);
  Memory memory;
  std::vector<TokenIds> prefixes;
  for (const std::size_t row : from) {
    const std::size_t first = memory_.sequences.offsets[row], count = memory_.sequences.length(row);
    memory.values.insert_cols(memory.values.n_cols, memory_.values.cols(first, first + count - 1));
    memory.sequences.append(count);
    if (const std::uint8_t* valid = memory_.sequences.valid_of(row))
      memory.sequences.valid.insert(memory.sequences.valid.end(), valid, valid + count);
    prefixes.push_back(prefixes_[row]);
  }
  memory_ = std::move(memory);
  prefixes_ = std::move(prefixes);
}

template class NextToken<float>;
template class NextToken<double>;

} // namespace tfx
