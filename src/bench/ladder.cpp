#include "bench/ladder.hpp"

#include "bench/case.hpp"
#include "bench/measure.hpp"
#include "core/error.hpp"
#include "core/memory.hpp"
#include "core/parallel.hpp"
#include "kernels/elementwise.hpp"
#include "kernels/gemm.hpp"
#include "kernels/softmax.hpp"
#include "layers/multi_head_attention.hpp"
#include "page/formulas.hpp"
#include "random/numpy_rng.hpp"

#include <algorithm>
#include <cmath>

namespace tfx::bench {

namespace {

std::size_t d_k_of(const AttentionBlock& block) {
  return block.shape.d_model / block.shape.heads;
}

/// body(first row of a head, first column of a sequence), one after another.
template <class Body>
void each_head(const AttentionBlock& block, Body body) {
  for (std::size_t s = 0; s < block.shape.batch; ++s)
    for (std::size_t h = 0; h < block.shape.heads; ++h) body(h * d_k_of(block), s * block.shape.seq);
}

// --- loops: as published
// --------------------------------------------------------------------------------------------

/// X @ W, a token a column.
arma::fmat project_by_loops(const arma::fmat& W, const arma::fmat& x) {
  arma::fmat y(W.n_cols, x.n_cols);
  for (std::size_t t = 0; t < x.n_cols; ++t)
    for (std::size_t j = 0; j < W.n_cols; ++j) {
      float sum = 0;
      for (std::size_t i = 0; i < W.n_rows; ++i) sum += x(i, t) * W(i, j);
      y(j, t) = sum;
    }
  return y;
}

/// exp(S − max) / sum, a query a column.
void softmax_by_loops(arma::fmat& S) {
  for (std::size_t i = 0; i < S.n_cols; ++i) {
    float max = S(0, i), sum = 0;
    for (std::size_t j = 1; j < S.n_rows; ++j) max = std::max(max, S(j, i));
    for (std::size_t j = 0; j < S.n_rows; ++j) sum += S(j, i) = std::exp(S(j, i) - max);
    for (std::size_t j = 0; j < S.n_rows; ++j) S(j, i) /= sum;
  }
}

arma::fmat by_loops(const AttentionBlock& block) {
  const auto& linears = block.layer.linears;
  const arma::fmat Q = project_by_loops(linears[0].weight, block.x),
                   K = project_by_loops(linears[1].weight, block.x),
                   V = project_by_loops(linears[2].weight, block.x);
  const std::size_t n = block.shape.seq, d_k = d_k_of(block);
  arma::fmat S(n, n), context(Q.n_rows, Q.n_cols);
  each_head(block, [&](std::size_t row, std::size_t column) {
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        float sum = 0;
        for (std::size_t r = row; r < row + d_k; ++r) sum += Q(r, column + i) * K(r, column + j);
        const bool hidden = block.shape.mask == Mask::causal && j > i;
        S(j, i) = hidden ? -1e9F : sum / std::sqrt(static_cast<float>(d_k));
      }
    softmax_by_loops(S);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t r = row; r < row + d_k; ++r) {
        float sum = 0;
        for (std::size_t j = 0; j < n; ++j) sum += S(j, i) * V(r, column + j);
        context(r, column + i) = sum;
      }
  });
  return project_by_loops(linears[3].weight, context);
}

// --- page
// -----------------------------------------------------------------------------------------------------------

arma::fmat by_page(const AttentionBlock& block) {
  arma::fmat y(block.shape.d_model, block.shape.tokens());
  const std::size_t n = block.shape.seq;
  const arma::mat mask =
      block.shape.mask == Mask::causal ? page::causal_mask(n, n) : arma::mat(n, n, arma::fill::ones);
  for (std::size_t s = 0; s < block.shape.batch; ++s) {
    const auto split = [&](std::size_t i) {
      return page::split_heads(page::project(block.X[s], block.W[i]), block.shape.heads);
    };
    const std::vector<arma::mat> Q = split(0), K = split(1), V = split(2);
    std::vector<arma::mat> heads;
    for (std::size_t h = 0; h < block.shape.heads; ++h)
      heads.push_back(page::attention(Q[h], K[h], V[h], mask).output);
    y.cols(s * n, (s + 1) * n - 1) =
        arma::conv_to<arma::fmat>::from(page::project(page::merge_heads(heads), block.W[3]).t());
  }
  return y;
}

// --- qkv
// ------------------------------------------------------------------------------------------------------------

arma::fmat product(const arma::fmat& W, const arma::fmat& x) {
  arma::fmat y = unset<float>(W.n_cols, x.n_cols);
  blas_gemm<float>(view(y), transposed(view(W)), plain(view(x)));
  return y;
}

/// As the page does it, in float: each head is copied out, each operation makes a new matrix.
arma::fmat by_one_product(const AttentionBlock& block) {
  const arma::fmat qkv = product(block.W_QKV, block.x);
  const std::size_t n = block.shape.seq, d = block.shape.d_model, d_k = d_k_of(block);
  arma::fmat context(d, block.x.n_cols);
  each_head(block, [&](std::size_t row, std::size_t column) {
    const auto part = [&](std::size_t first) -> arma::fmat {
      return qkv.submat(first + row, column, first + row + d_k - 1, column + n - 1);
    };
    const arma::fmat Q = part(0), K = part(d), V = part(2 * d);
    arma::fmat S = K.t() * Q / std::sqrt(static_cast<float>(d_k));
    if (block.shape.mask == Mask::causal)
      for (std::size_t i = 0; i + 1 < n; ++i) S.col(i).tail(n - 1 - i).fill(-arma::Datum<float>::inf);
    const arma::fmat shifted = S.each_row() - arma::max(S, 0);
    const arma::fmat exponentials = arma::exp(shifted);
    const arma::fmat weights = exponentials.each_row() / arma::sum(exponentials, 0);
    context.submat(row, column, row + d_k - 1, column + n - 1) = V * weights;
  });
  return product(block.layer.linears[3].weight, context);
}

// --- heads, tiles
// ---------------------------------------------------------------------------------------------------

/// `at_once` queries at a time, with the first `seen(last query)` keys; without copies of Q, K and V.
template <class Seen>
arma::fmat in_place(const AttentionBlock& block, std::size_t at_once, Seen seen) {
  const arma::fmat qkv = product(block.W_QKV, block.x);
  const std::size_t n = block.shape.seq, d = block.shape.d_model, d_k = d_k_of(block);
  arma::fmat context = unset<float>(d, block.x.n_cols), cells = unset<float>(n, at_once);
  each_head(block, [&](std::size_t row, std::size_t column) {
    for (std::size_t first = 0; first < n; first += at_once) {
      const std::size_t queries = std::min(at_once, n - first), keys = seen(first + queries);
      const auto part = [&](std::size_t which, std::size_t from, std::size_t count) {
        return view(qkv).block(which * d + row, d_k, column + from, count);
      };
      const MatrixView<float> S(cells.memptr(), keys, queries);
      blas_gemm<float>(S, transposed(part(1, 0, keys)), plain(part(0, first, queries)),
                       1 / std::sqrt(static_cast<float>(d_k)));
      softmax(S, {nullptr, block.shape.mask, first});
      blas_gemm<float>(view(context).block(row, d_k, column + first, queries), plain(part(2, 0, keys)),
                       plain(MatrixView<const float>(S)));
    }
  });
  return product(block.layer.linears[3].weight, context);
}

arma::fmat by_heads(const AttentionBlock& block) {
  return in_place(block, block.shape.seq, [&](std::size_t) { return block.shape.seq; });
}

arma::fmat by_tiles(const AttentionBlock& block) {
  constexpr std::size_t tile = 64;
  return in_place(block, std::min(tile, block.shape.seq), [&](std::size_t behind_last_query) {
    return block.shape.mask == Mask::causal ? behind_last_query : block.shape.seq;
  });
}

// --- fused, threads
// -------------------------------------------------------------------------------------------------

arma::fmat by_engine(const AttentionBlock& block) {
  const Tokens<float> tokens{block.x, block.sequences};
  return forward<float>(block.layer, {tokens, tokens, {block.shape.heads, block.shape.mask}}, {});
}

void require_room(const AttentionShape& s) {
  require_heads(s.heads, s.d_model);
  const double n = static_cast<double>(s.seq), d = static_cast<double>(s.d_model),
               tokens = n * static_cast<double>(s.batch);
  constexpr double page_matrices = 9; // mask, scores, scaled, masked, and the softmax's intermediate results
  require_memory(sizeof(double) * (page_matrices * n * n + 12 * tokens * d + 12 * d * d),
                 said("the ladder, whose slower rungs keep n² scores,"));
}

} // namespace

AttentionBlock drawn_block(const AttentionShape& shape, std::uint32_t seed) {
  require_room(shape);
  AttentionBlock block;
  block.shape = shape;
  for (std::size_t s = 0; s < shape.batch; ++s) block.sequences.append(shape.seq);
  NumpyRandom random(seed);
  block.x = unset<float>(shape.d_model, shape.tokens());
  for (float& number : block.x) number = static_cast<float>(random.randn());
  block.layer = MultiHeadAttention<float>(shape.d_model, LinearBias::no);
  const double spread = std::sqrt(1 / static_cast<double>(shape.d_model));
  for (Linear<float>& linear : block.layer.linears) {
    for (float& number : linear.weight) number = static_cast<float>(spread * random.randn());
    block.W.push_back(arma::conv_to<arma::mat>::from(linear.weight));
  }
  const auto& [W_Q, W_K, W_V, W_O] = block.layer.linears;
  block.W_QKV = arma::join_rows(W_Q.weight, W_K.weight, W_V.weight);
  for (std::size_t s = 0; s < shape.batch; ++s)
    block.X.push_back(
        arma::conv_to<arma::mat>::from(block.x.cols(s * shape.seq, (s + 1) * shape.seq - 1).t()));
  return block;
}

const std::vector<Rung>& rungs() {
  static const std::vector<Rung> all{{"loops", by_loops},
                                     {"page", by_page},
                                     {"qkv", by_one_product},
                                     {"heads", by_heads},
                                     {"tiles", by_tiles},
                                     {"fused", by_engine},
                                     {"threads", by_engine, Rung::Threads::all}};
  return all;
}

const Rung& rung(const std::string& id) {
  return *std::ranges::find(rungs(), id, &Rung::id);
}

namespace {

/// Runs on so many threads until the end of the scope.
class OnThreads {
public:
  explicit OnThreads(std::size_t count) : before_(threads()) { set_threads(count); }
  ~OnThreads() { set_threads(before_); }
  OnThreads(const OnThreads&) = delete;
  OnThreads& operator=(const OnThreads&) = delete;

private:
  std::size_t before_;
};

} // namespace

std::vector<Climbed> climb(const std::vector<Rung>& rungs, const AttentionBlock& block,
                           const std::optional<Repeats>& repeats, const Watch& watch) {
  std::vector<Climbed> all;
  const Work work = attention_work(block.shape);
  arma::mat first;
  for (const Rung& rung : rungs) {
    if (watch) watch(rung.id);
    Climbed climbed;
    climbed.id = rung.id;
    climbed.threads = rung.threads == Rung::Threads::all ? threads() : 1;
    const std::size_t all_threads = threads();
    const OnThreads guard(climbed.threads);
    arma::fmat result;
    climbed.memory = memory_taken([&] { result = rung.run(block); });
    const arma::mat y = arma::conv_to<arma::mat>::from(result);
    if (all.empty()) first = y;
    climbed.difference = relative_difference(y, first);
    climbed.equal = climbed.difference <= rounding_bound;
    const MeasureLimits peak = [&] {
      const OnThreads on_all(all_threads);
      return limits_for(work);
    };
    if (climbed.equal && repeats) climbed.figure = figure_of([&] { rung.run(block); }, work, *repeats, peak);
    all.push_back(std::move(climbed));
  }
  return all;
}

std::vector<Grown> grow(std::size_t d_k, std::size_t first, std::size_t last, const Repeats& repeats,
                        const Watch& watch) {
  std::vector<Grown> all;
  const std::vector<Rung> two{rung("heads"), rung("fused")};
  for (std::size_t n = first; n <= last; n *= 2) {
    if (watch) watch("n = " + std::to_string(n));
    try {
      const AttentionBlock block = drawn_block({1, n, d_k, 1, 1, Mask::causal}, 42);
      std::vector<Climbed> climbed = climb(two, block, repeats);
      all.push_back({n, std::move(climbed[0]), std::move(climbed[1])});
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::no_memory) throw;
      break;
    }
  }
  return all;
}

} // namespace tfx::bench
