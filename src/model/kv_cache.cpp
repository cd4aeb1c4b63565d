#include "model/kv_cache.hpp"

#include "core/error.hpp"
#include "core/memory.hpp"
#include "core/parallel.hpp"
#include "kernels/attention.hpp"
#include "kernels/elementwise.hpp"

#include <algorithm>
#include <cassert>

namespace tfx {

namespace {

/// Multiply-adds of attention that outweigh waking a thread: each reads a number from memory.
constexpr std::size_t worth_a_thread = 1 << 14;

const CacheRoom& checked(const CacheRoom& room, const ModelSpec& spec) {
  if (room.tokens > spec.max_len)
    throw Error(ErrorKind::bad_data,
                said("a target may grow to {count} tokens, the model takes {most}",
                     {{"count", room.tokens}, {"most", spec.max_len}}),
                said("decode fewer tokens"));
  return room;
}

/// The attention of each row's queries, whose keys and values are known; of several the last sees all keys.
template <class Real>
arma::Mat<Real> attend(const MultiHeadAttention<Real>& layer, const Tokens<Real>& Q,
                       const AttentionConfig& config,
                       const std::function<KeysAndValues<Real>(std::size_t)>& seen_by) {
  const std::size_t heads = config.heads, d_k = Q.values.n_rows / heads;
  arma::Mat<Real> concat = unset<Real>(Q.values.n_rows, Q.values.n_cols);
  const auto run = [&](Slice slice) {
    for (std::size_t job = slice.begin; job < slice.end; ++job) {
      const std::size_t row = job / heads, h = job % heads, of_keys = config.key_head_of(h) * d_k;
      const KeysAndValues<Real> seen = seen_by(row);
      const std::size_t n_k = seen.k.cols, begin = Q.sequences.offsets[row], n_q = Q.sequences.length(row);
      const bool sees_all = config.mask == Mask::none || (n_q == 1 && config.window == 0);
      const AttentionMask visible{seen.valid, sees_all ? Mask::none : Mask::causal, sees_all ? 0 : n_k - n_q,
                                  config.window};
      attention<Real>(view(concat).block(h * d_k, d_k, begin, n_q),
                      {view(Q.values).block(h * d_k, d_k, begin, n_q), seen.k.block(of_keys, d_k, 0, n_k),
                       seen.v.block(of_keys, d_k, 0, n_k), visible});
    }
  };
  const std::size_t macs = 2 * d_k * seen_by(0).k.cols * Q.sequences.length(0);
  parallel_for(Q.sequences.count() * heads, run, worth_a_thread / macs + 1);
  return forward(layer.linears[3], concat);
}

template <class Real>
void apply_step(const ResidualStream<Real>& x, const Block<Real>& block, std::size_t index,
                DecoderCache<Real>& cache, const LayerSpec& spec, const RotaryTable<Real>* rotary) {
  using Mat = arma::Mat<Real>;
  const AttentionConfig of_self = attention_config(spec, Mask::causal), of_source = attention_config(spec);
  std::vector<Function<Real>> parts{[&](const Mat& y) {
    const auto& [linears, q_norm, k_norm] = block.self_attn;
    auto [Q, K, V] = forward(std::array{&linears[0], &linears[1], &linears[2]}, y);
    prepare(Q, x.sequences, HeadsOf<Real>{q_norm, of_self.heads}, of_self, rotary);
    prepare(K, x.sequences, HeadsOf<Real>{k_norm, of_self.key_heads()}, of_self, rotary);
    cache.write(index, K, V, x.sequences);
    return attend<Real>(block.self_attn, {Q, x.sequences}, of_self, [&](std::size_t row) {
      return cache.self(index, row, cache.tokens(row) + x.sequences.length(row));
    });
  }};
  if (block.src_attn)
    parts.push_back([&](const Mat& y) {
      Mat Q = forward(block.src_attn->linears[0], y);
      prepare<Real>(Q, x.sequences, {block.src_attn->q_norm, of_source.heads}, of_source, nullptr);
      return attend<Real>(*block.src_attn, {Q, x.sequences}, of_source,
                          [&](std::size_t row) { return cache.cross(index, row); });
    });
  if (block.feed_forward)
    parts.push_back([&](const Mat& y) {
      return forward(*block.feed_forward, {y, x.sequences}, spec.activation, ForwardContext<Real>{});
    });
  for (std::size_t i = 0; i < parts.size(); ++i)
    apply(x, block.sublayer[i], parts[i], spec.norm, ForwardContext<Real>{});
}

Sequences sequences_of(const std::vector<TokenIds>& rows) {
  Sequences sequences;
  for (const TokenIds& row : rows) sequences.append(row.size());
  return sequences;
}

/// Each sequence's last token.
template <class Real>
arma::Mat<Real> last_columns(const arma::Mat<Real>& x, const Sequences& sequences) {
  arma::Mat<Real> last = unset<Real>(x.n_rows, sequences.count());
  for (std::size_t s = 0; s < sequences.count(); ++s) last.col(s) = x.col(sequences.offsets[s + 1] - 1);
  return last;
}

} // namespace

template <class Real>
DecoderCache<Real>::DecoderCache(const Transformer<Real>& model, Memory<Real> memory, std::size_t rows,
                                 const CacheRoom& room)
    : room_(checked(room, model.spec)) {
  assert(rows <= room_.rows && (!memory || memory->sequences.count() == rows));
  if (memory) sources_ = memory->sequences;
  const std::size_t width = model.decoder.layers[0].self_attn.linears[1].weight.n_cols;
  const double columns = static_cast<double>(room_.rows) * static_cast<double>(room_.tokens) +
                         static_cast<double>(sources_.tokens());
  require_memory(2.0 * static_cast<double>(model.decoder.layers.size()) * static_cast<double>(width) *
                     columns * sizeof(Real),
                 said("the cache of keys and values"));
  for (const Block<Real>& layer : model.decoder.layers) {
    layers_.push_back({unset<Real>(width, room_.rows * room_.tokens),
                       unset<Real>(width, room_.rows * room_.tokens),
                       {},
                       {}});
    if (!memory) continue;
    const AttentionConfig config = attention_config(model.spec);
    layers_.back().cross_k = forward(layer.src_attn->linears[1], memory->values);
    prepare<Real>(layers_.back().cross_k, sources_, {layer.src_attn->k_norm, config.key_heads()}, config,
                  nullptr);
    layers_.back().cross_v = forward(layer.src_attn->linears[2], memory->values);
  }
  for (std::size_t row = 0; row < rows; ++row) rows_.push_back({row, row, 0});
}

template <class Real>
std::uint64_t DecoderCache<Real>::bytes() const {
  std::size_t columns = sources_.tokens();
  for (const CacheRow& row : rows_) columns += row.tokens;
  return std::uint64_t{2} * layers_.size() * layers_[0].self_k.n_rows * columns * sizeof(Real);
}

template <class Real>
KeysAndValues<Real> DecoderCache<Real>::self(std::size_t layer, std::size_t row, std::size_t count) const {
  const std::size_t first = rows_[row].slot * room_.tokens;
  return {view(layers_[layer].self_k).columns(first, count),
          view(layers_[layer].self_v).columns(first, count)};
}

template <class Real>
KeysAndValues<Real> DecoderCache<Real>::cross(std::size_t layer, std::size_t row) const {
  const std::size_t s = rows_[row].source, first = sources_.offsets[s], count = sources_.length(s);
  return {view(layers_[layer].cross_k).columns(first, count),
          view(layers_[layer].cross_v).columns(first, count), sources_.valid_of(s)};
}

template <class Real>
void DecoderCache<Real>::write(std::size_t layer, const arma::Mat<Real>& k, const arma::Mat<Real>& v,
                               const Sequences& fresh) {
  assert(fresh.count() == rows() && k.n_cols == fresh.tokens());
  for (std::size_t row = 0; row < rows(); ++row) {
    const std::size_t column = rows_[row].slot * room_.tokens + rows_[row].tokens, count = fresh.length(row);
    copy(view(layers_[layer].self_k).columns(column, count), view(k).columns(fresh.offsets[row], count));
    copy(view(layers_[layer].self_v).columns(column, count), view(v).columns(fresh.offsets[row], count));
  }
}

template <class Real>
void DecoderCache<Real>::advance(const Sequences& fresh) {
  for (std::size_t row = 0; row < rows(); ++row) rows_[row].tokens += fresh.length(row);
}

template <class Real>
void DecoderCache<Real>::copy_slot(std::size_t to, const CacheRow& from) {
  for (LayerCache& layer : layers_)
    for (arma::Mat<Real>* kept : {&layer.self_k, &layer.self_v})
      copy(view(*kept).columns(to * room_.tokens, from.tokens),
           view(*kept).columns(from.slot * room_.tokens, from.tokens));
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
    copy_slot(kept.back().slot, rows_[row]);
  }
  rows_ = std::move(kept);
}

template <class Real>
arma::Mat<Real> decode_step(const Transformer<Real>& model, DecoderCache<Real>& cache,
                            const std::vector<TokenIds>& fresh) {
  if (fresh.size() != cache.rows())
    throw Error(ErrorKind::bad_data,
                said("{tokens} tokens for {rows} rows", {{"tokens", fresh.size()}, {"rows", cache.rows()}}),
                said("a step takes one token a row"));
  const Sequences sequences = sequences_of(fresh);
  std::vector<std::size_t> begins;
  for (std::size_t row = 0; row < cache.rows(); ++row) {
    begins.push_back(cache.tokens(row));
    if (cache.tokens(row) + sequences.length(row) > cache.room().tokens)
      throw Error(
          ErrorKind::bad_data,
          said("the cache has room for {count} tokens, and is full", {{"count", cache.room().tokens}}),
          said("give it more room, or decode fewer tokens"));
  }
  if (sequences.tokens() == 0) return unset<Real>(model.spec.d_model, 0);
  const Places places(sequences, std::move(begins));
  arma::Mat<Real> x = embed_tokens(model.tgt_embed, model.spec, Batch{flat(fresh), sequences}, places);
  const std::optional<RotaryTable<Real>> rotary = rotary_table<Real>(model.spec, places);
  for (std::size_t i = 0; i < model.decoder.layers.size(); ++i)
    apply_step<Real>({x, sequences}, model.decoder.layers[i], i, cache, model.spec,
                     rotary ? &*rotary : nullptr);
  cache.advance(sequences);
  if (sequences.tokens() > sequences.count()) x = last_columns(x, sequences);
  return model.spec.final_norm ? forward(model.decoder.norm, x, model.spec.norm.kernel_rule()) : x;
}

template class DecoderCache<float>;
template class DecoderCache<double>;
template arma::Mat<float> decode_step(const Transformer<float>&, DecoderCache<float>&,
                                      const std::vector<TokenIds>&);
template arma::Mat<double> decode_step(const Transformer<double>&, DecoderCache<double>&,
                                       const std::vector<TokenIds>&);

template <class Real>
NextToken<Real>::NextToken(const Transformer<Real>& model, const Prompt& prompt, const CacheRoom& room,
                           Prefix prefix)
    : model_(model) {
  if (prompt.src) sources_ = Sources{encode(model, *prompt.src), prompt.src->sequences};
  if (prefix == Prefix::cached)
    cache_.emplace(model, memory(), prompt.rows(), room);
  else
    prefixes_.resize(prompt.rows());
}

template <class Real>
Memory<Real> NextToken<Real>::memory() const {
  return sources_ ? Memory<Real>({sources_->memory, sources_->sequences}) : std::nullopt;
}

template <class Real>
arma::Mat<Real> NextToken<Real>::after(const TokenIds& tokens) {
  std::vector<TokenIds> rows;
  for (const std::uint32_t token : tokens) rows.push_back({token});
  return after(rows);
}

template <class Real>
arma::Mat<Real> NextToken<Real>::after(const std::vector<TokenIds>& tokens) {
  const arma::Mat<Real> output = cache_ ? decode_step(model_, *cache_, tokens) : recompute(tokens);
  const Sequences one_token_each = sequences_of(std::vector<TokenIds>(tokens.size(), TokenIds(1)));
  arma::Mat<Real> log_probs = generate(model_, Tokens<Real>{output, one_token_each});
  if (log_probs.has_nan())
    throw Error(ErrorKind::bad_data, said("the model's log-probabilities of the next token are not numbers"),
                said("its weights hold NaN or infinity, or grew too large in training"));
  return log_probs;
}

template <class Real>
arma::Mat<Real> NextToken<Real>::recompute(const std::vector<TokenIds>& tokens) {
  for (std::size_t row = 0; row < tokens.size(); ++row)
    prefixes_[row].insert(prefixes_[row].end(), tokens[row].begin(), tokens[row].end());
  const Batch tgt = ragged_batch(prefixes_);
  return last_columns(decode(model_, tgt, memory()), tgt.sequences);
}

template <class Real>
void NextToken<Real>::keep(const std::vector<std::size_t>& from) {
  if (cache_) return cache_->keep(from);
  std::vector<TokenIds> prefixes;
  for (const std::size_t row : from) prefixes.push_back(prefixes_[row]);
  prefixes_ = std::move(prefixes);
  if (!sources_) return;
  Sources kept;
  for (const std::size_t row : from) {
    const std::size_t first = sources_->sequences.offsets[row], count = sources_->sequences.length(row);
    kept.memory.insert_cols(kept.memory.n_cols, sources_->memory.cols(first, first + count - 1));
    kept.sequences.append(count);
    if (const std::uint8_t* valid = sources_->sequences.valid_of(row))
      kept.sequences.valid.insert(kept.sequences.valid.end(), valid, valid + count);
  }
  sources_ = std::move(kept);
}

template class NextToken<float>;
template class NextToken<double>;

} // namespace tfx
