#include "bench/attention_case.hpp"

#include "core/error.hpp"
#include "core/memory.hpp"
#include "core/parallel.hpp"
#include "layers/multi_head_attention.hpp"
#include "page/formulas.hpp"
#include "random/numpy_rng.hpp"

#include <cmath>
#include <memory>

namespace tfx::bench {

namespace {

AttentionShape checked(const AttentionShape& s) {
  require_heads(s.heads, s.d_model);
  const double d = static_cast<double>(s.d_model),
               tokens = static_cast<double>(s.batch) * static_cast<double>(s.seq);
  const double parameters = d * (static_cast<double>(s.vocab) + static_cast<double>(s.seq) + 4 * d);
  constexpr double activations = 8;   // x, Q, K, V, concatenated heads, y, and what the check copies
  constexpr double scratch = 64 * 16; // numbers a key: tiles of scores, of as many threads
  require_memory(sizeof(float) *
                     (parameters + activations * d * tokens + scratch * static_cast<double>(s.seq)),
                 said("this attention"));
  return s;
}

void draw(NumpyRandom& random, arma::fmat& numbers, double factor = 1) {
  for (float& number : numbers) number = static_cast<float>(factor * random.randn());
}

/// The page's answer for token `row` of sequence `s`, a row.
arma::mat page_row(const AttentionModel& model, std::size_t s, std::size_t row) {
  const AttentionShape& shape = model.shape;
  const std::size_t seen = shape.mask == Mask::causal ? row + 1 : shape.seq,
                    d_k = shape.d_model / shape.heads;
  arma::mat X(seen, shape.d_model);
  for (std::size_t t = 0; t < seen; ++t)
    X.row(t) = arma::conv_to<arma::rowvec>::from(model.tokens.col(model.batch.ids[s * shape.seq + t]).t() +
                                                 model.positions.col(t).t());
  const auto W = [&](std::size_t i) {
    return arma::conv_to<arma::mat>::from(model.attention.linears[i].weight);
  };
  const arma::mat Q = page::project(X.row(row), W(0)), K = page::project(X, W(1)), V = page::project(X, W(2));
  std::vector<arma::mat> heads;
  for (std::size_t h = 0; h < shape.heads; ++h) {
    const arma::span share(h * d_k, (h + 1) * d_k - 1);
    heads.push_back(
        page::attention(Q.cols(share.a, share.b), K.cols(share.a, share.b), V.cols(share.a, share.b)).output);
  }
  return page::project(page::merge_heads(heads), W(3));
}

Agreement compare(const AttentionModel& model) {
  const AttentionShape& s = model.shape;
  const arma::mat y = arma::conv_to<arma::mat>::from(forward(model));
  arma::mat ours(s.d_model, 2), page(s.d_model, 2);
  const std::pair<std::size_t, std::size_t> places[] = {{0, s.seq / 2}, {s.batch - 1, s.seq - 1}};
  for (std::size_t i = 0; i < 2; ++i) {
    const auto& [sequence, row] = places[i];
    ours.col(i) = y.col(sequence * s.seq + row);
    page.col(i) = page_row(model, sequence, row).t();
  }
  return {"page", relative_difference(ours, page), rounding_bound};
}

} // namespace

AttentionModel::AttentionModel(const AttentionShape& wanted)
    : shape(checked(wanted)),
      tokens(shape.d_model, shape.vocab, arma::fill::zeros),
      positions(shape.d_model, shape.seq, arma::fill::zeros),
      attention(shape.d_model, LinearBias::no) {
  batch.ids.resize(shape.tokens());
  for (std::size_t s = 0; s < shape.batch; ++s) batch.sequences.append(shape.seq);
}

AttentionModel drawn_attention(const AttentionShape& shape, std::uint32_t seed) {
  AttentionModel model(shape);
  NumpyRandom random(seed);
  draw(random, model.tokens);
  draw(random, model.positions);
  for (Linear<float>& linear : model.attention.linears)
    draw(random, linear.weight, std::sqrt(1 / static_cast<double>(shape.d_model)));
  for (std::uint32_t& id : model.batch.ids)
    id = static_cast<std::uint32_t>(random.randint(static_cast<std::int64_t>(shape.vocab)));
  return model;
}

arma::fmat embedded(const AttentionModel& model) {
  const std::size_t d = model.shape.d_model;
  arma::fmat x = unset<float>(d, model.shape.tokens());
  constexpr std::size_t worth_a_thread = 1 << 14; // numbers
  parallel_for(
      x.n_cols,
      [&](Slice slice) {
        for (std::size_t t = slice.begin; t < slice.end; ++t) {
          const float* const token = model.tokens.colptr(model.batch.ids[t]);
          const float* const place = model.positions.colptr(t % model.shape.seq);
          float* const sum = x.colptr(t);
          for (std::size_t i = 0; i < d; ++i) sum[i] = token[i] + place[i];
        }
      },
      worth_a_thread / d + 1);
  return x;
}

arma::fmat forward(const AttentionModel& model) {
  const arma::fmat x = embedded(model);
  const Tokens<float> tokens{x, model.batch.sequences};
  return tfx::forward<float>(model.attention, {tokens, tokens, {model.shape.heads, model.shape.mask}}, {});
}

Case attention_case(AttentionModel model) {
  const auto shared = std::make_shared<const AttentionModel>(std::move(model));
  return {attention_work(shared->shape), [shared] { return forward(*shared); },
          [shared] { return compare(*shared); }};
}

} // namespace tfx::bench
