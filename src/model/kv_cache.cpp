#include "model/kv_cache.hpp"

#include "core/error.hpp"
#include "core/memory.hpp"
#include "core/parallel.hpp"
#include "kernels/attention.hpp"
#include "kernels/elementwise.hpp"
#include "kernels/positional.hpp"

#include <algorithm>
#include <cassert>

namespace tfx {

namespace {

/// Multiply-adds of attention that outweigh waking a thread: each reads a number from memory.
constexpr std::size_t worth_a_thread = 1 << 14;

const CacheRoom& checked(const CacheRoom& room, const Config& config) {
  if (room.tokens > config.max_len)
    throw Error(ErrorKind::bad_data,
                said("a target may grow to {count} tokens, the model takes {most}",
                     {{"count", room.tokens}, {"most", config.max_len}}),
                said("decode fewer tokens"));
  return room;
}

/// The attention of one query a row, whose keys and values are known.
template <class Real>
arma::Mat<Real> attend(const MultiHeadAttention<Real>& layer, const arma::Mat<Real>& Q, std::size_t heads,
                       const std::function<KeysAndValues<Real>(std::size_t)>& seen_by) {
  const std::size_t d_k = Q.n_rows / heads;
  arma::Mat<Real> concat = unset<Real>(Q.n_rows, Q.n_cols);
  const auto run = [&](Slice slice) {
    for (std::size_t job = slice.begin; job < slice.end; ++job) {
      const std::size_t row = job / heads, first = job % heads * d_k;
      const KeysAndValues<Real> seen = seen_by(row);
      const std::size_t n_k = seen.k.cols;
      attention<Real>(view(concat).block(first, d_k, row, 1),
                      {view(Q).block(first, d_k, row, 1), seen.k.block(first, d_k, 0, n_k),
                       seen.v.block(first, d_k, 0, n_k), AttentionMask{seen.valid}});
    }
  };
  const std::size_t macs = 2 * d_k * seen_by(0).k.cols;
  parallel_for(Q.n_cols * heads, run, worth_a_thread / macs + 1);
  return forward(layer.linears[3], concat);
}

template <class Real>
void apply_step(arma::Mat<Real>& x, const DecoderLayer<Real>& layer, std::size_t index,
                DecoderCache<Real>& cache, const LayerStyle& style) {
  using Mat = arma::Mat<Real>;
  Sequences one_token_each;
  for (std::size_t row = 0; row < cache.rows(); ++row) one_token_each.append(1);
  const Function<Real> attend_to_prefix = [&](const Mat& y) {
    const auto& linears = layer.self_attn.linears;
    const auto [Q, K, V] = forward(std::array{&linears[0], &linears[1], &linears[2]}, y);
    cache.write(index, K, V);
    return attend<Real>(layer.self_attn, Q, style.heads,
                        [&](std::size_t row) { return cache.self(index, row); });
  };
  const Function<Real> look_at_source = [&](const Mat& y) {
    return attend<Real>(layer.src_attn, forward(layer.src_attn.linears[0], y), style.heads,
                        [&](std::size_t row) { return cache.cross(index, row); });
  };
  const Function<Real> feed = [&](const Mat& y) {
    return forward(layer.feed_forward, {y, one_token_each}, style.activation, ForwardContext<Real>{});
  };
  const ResidualStream<Real> stream{x, one_token_each};
  apply(stream, layer.sublayer[0], attend_to_prefix, style.norm, ForwardContext<Real>{});
  apply(stream, layer.sublayer[1], look_at_source, style.norm, ForwardContext<Real>{});
  apply(stream, layer.sublayer[2], feed, style.norm, ForwardContext<Real>{});
}

} // namespace

template <class Real>
DecoderCache<Real>::DecoderCache(const EncoderDecoder<Real>& model, const Tokens<Real>& memory,
                                 const CacheRoom& room)
    : room_(checked(room, model.config)), sources_(memory.sequences) {
  assert(sources_.count() <= room_.rows);
  const std::size_t d = model.config.d_model;
  const double columns = static_cast<double>(room_.rows) * static_cast<double>(room_.tokens) +
                         static_cast<double>(sources_.tokens());
  require_memory(2.0 * static_cast<double>(model.config.layers) * static_cast<double>(d) * columns *
                     sizeof(Real),
                 said("the cache of keys and values"));
  for (const DecoderLayer<Real>& layer : model.decoder.layers)
    layers_.push_back({unset<Real>(d, room_.rows * room_.tokens), unset<Real>(d, room_.rows * room_.tokens),
                       forward(layer.src_attn.linears[1], memory.values),
                       forward(layer.src_attn.linears[2], memory.values)});
  for (std::size_t s = 0; s < sources_.count(); ++s) rows_.push_back({s, s});
}

template <class Real>
std::uint64_t DecoderCache<Real>::bytes() const {
  if (layers_.empty()) return 0;
  const std::size_t columns = rows_.size() * tokens_ + sources_.tokens();
  return std::uint64_t{2} * layers_.size() * layers_[0].self_k.n_rows * columns * sizeof(Real);
}

template <class Real>
KeysAndValues<Real> DecoderCache<Real>::self(std::size_t layer, std::size_t row) const {
  const std::size_t first = rows_[row].slot * room_.tokens;
  return {view(layers_[layer].self_k).columns(first, tokens_ + 1),
          view(layers_[layer].self_v).columns(first, tokens_ + 1)};
}

template <class Real>
KeysAndValues<Real> DecoderCache<Real>::cross(std::size_t layer, std::size_t row) const {
  const std::size_t s = rows_[row].source, first = sources_.offsets[s], count = sources_.length(s);
  return {view(layers_[layer].cross_k).columns(first, count),
          view(layers_[layer].cross_v).columns(first, count), sources_.valid_of(s)};
}

template <class Real>
void DecoderCache<Real>::write(std::size_t layer, const arma::Mat<Real>& k, const arma::Mat<Real>& v) {
  assert(k.n_cols == rows() && v.n_cols == rows() && tokens_ < room_.tokens);
  for (std::size_t row = 0; row < rows(); ++row) {
    const std::size_t column = rows_[row].slot * room_.tokens + tokens_;
    copy(view(layers_[layer].self_k).columns(column, 1), view(k).columns(row, 1));
    copy(view(layers_[layer].self_v).columns(column, 1), view(v).columns(row, 1));
  }
}

template <class Real>
void DecoderCache<Real>::copy_slot(std::size_t to, std::size_t from) {
  for (LayerCache& layer : layers_)
    for (arma::Mat<Real>* kept : {&layer.self_k, &layer.self_v})
      copy(view(*kept).columns(to * room_.tokens, tokens_),
           view(*kept).columns(from * room_.tokens, tokens_));
}

template <class Real>
void DecoderCache<Real>::keep(const std::vector<std::size_t>& from) {
  assert(from.size() <= room_.rows);
  std::vector<std::uint8_t> taken(room_.rows, 0);
  for (const std::size_t row : from) taken[rows_[row].slot] = 1;
  std::vector<std::uint8_t> first_use(rows_.size(), 1);
  std::vector<CacheRow> kept;
  for (const std::size_t row : from) {
    kept.push_back(rows_[row]);
    if (first_use[row]) {
      first_use[row] = 0;
      continue;
    }
    const auto free_slot = std::find(taken.begin(), taken.end(), 0);
    *free_slot = 1;
    kept.back().slot = static_cast<std::size_t>(free_slot - taken.begin());
    copy_slot(kept.back().slot, rows_[row].slot);
  }
  rows_ = std::move(kept);
}

template <class Real>
arma::Mat<Real> decode_step(const EncoderDecoder<Real>& model, DecoderCache<Real>& cache,
                            const std::vector<std::uint32_t>& tokens) {
  if (tokens.size() != cache.rows())
    throw Error(ErrorKind::bad_data,
                said("{tokens} tokens for {rows} rows", {{"tokens", tokens.size()}, {"rows", cache.rows()}}),
                said("a step takes one token a row"));
  if (cache.tokens() == cache.room().tokens)
    throw Error(ErrorKind::bad_data,
                said("the cache has room for {count} tokens, and is full", {{"count", cache.room().tokens}}),
                said("give it more room, or decode fewer tokens"));
  arma::Mat<Real> x = forward(model.tgt_embed, tokens);
  if (x.is_empty()) return x;
  arma::Mat<Real> place = unset<Real>(x.n_rows, 1);
  sinusoidal_positions(view(place), cache.tokens());
  add_bias(view(x), place.memptr());
  for (std::size_t i = 0; i < model.decoder.layers.size(); ++i)
    apply_step(x, model.decoder.layers[i], i, cache, model.config.style());
  cache.advance();
  return forward(model.decoder.norm, x, model.config.norm.rule);
}

template class DecoderCache<float>;
template class DecoderCache<double>;
template arma::Mat<float> decode_step(const EncoderDecoder<float>&, DecoderCache<float>&,
                                      const std::vector<std::uint32_t>&);
template arma::Mat<double> decode_step(const EncoderDecoder<double>&, DecoderCache<double>&,
                                       const std::vector<std::uint32_t>&);

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
