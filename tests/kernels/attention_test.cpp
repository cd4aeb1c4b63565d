#include "kernels/attention.hpp"

#include "kernels/elementwise.hpp"
#include "kernels/gemm.hpp"
#include "random/stream.hpp"
#include "support/catch.hpp"
#include "support/engine.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <limits>
#include <utility>

using namespace tfx;

namespace {

struct Expected {
  arma::mat scores, weights, out;
};

/// The definition, a query at a time; hidden keys take no part.
template <class Real>
Expected attention_by_hand(const arma::Mat<Real>& q, const arma::Mat<Real>& k, const arma::Mat<Real>& v,
                           const AttentionMask& visible) {
  Expected result{arma::mat(k.n_cols, q.n_cols), arma::mat(k.n_cols, q.n_cols, arma::fill::zeros),
                  arma::mat(v.n_rows, q.n_cols)};
  std::vector<long double> weights(k.n_cols);
  const long double root = std::sqrt(static_cast<long double>(q.n_rows));
  for (std::size_t j = 0; j < q.n_cols; ++j) {
    long double max = -HUGE_VAL;
    long double sum = 0;
    for (std::size_t i = 0; i < k.n_cols; ++i) {
      long double score = 0;
      for (std::size_t r = 0; r < q.n_rows; ++r)
        score += static_cast<long double>(q(r, j)) * static_cast<long double>(k(r, i));
      result.scores(i, j) = static_cast<double>(score);
      if (visible(i, j)) max = std::max(max, result.scores(i, j) / root);
    }
    for (std::size_t i = 0; i < k.n_cols; ++i)
      sum += weights[i] = visible(i, j) ? std::exp(result.scores(i, j) / root - max) : 0;
    for (std::size_t i = 0; i < k.n_cols; ++i)
      if (visible(i, j)) result.weights(i, j) = static_cast<double>(weights[i] /= sum);
    for (std::size_t r = 0; r < v.n_rows; ++r) {
      long double mixture = 0;
      for (std::size_t i = 0; i < k.n_cols; ++i)
        if (visible(i, j)) mixture += weights[i] * v(r, i);
      result.out(r, j) = static_cast<double>(mixture);
    }
  }
  return result;
}

/// Keys or values, a page of memory each, of which those before `readable` cannot even be read.
class GuardedColumns {
public:
  GuardedColumns(std::size_t count, std::size_t readable)
      : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))),
        count_(count),
        cells_(static_cast<float*>(
            mmap(nullptr, count * page_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    REQUIRE(cells_ != MAP_FAILED);
    REQUIRE(mprotect(cells_, readable * page_, PROT_NONE) == 0);
  }
  ~GuardedColumns() { munmap(cells_, count_ * page_); }
  GuardedColumns(const GuardedColumns&) = delete;
  GuardedColumns& operator=(const GuardedColumns&) = delete;

  MatrixView<float> columns() const { return {cells_, rows(), count_}; }
  std::size_t rows() const { return page_ / sizeof(float); }

private:
  std::size_t page_, count_;
  float* cells_;
};

/// Everything, causal, or causal in a window: of one key, next to the edge of a tile, larger than anything.
AttentionMask random_mask(RandomInput& random, const std::uint8_t* valid) {
  constexpr std::size_t windows[] = {1, 2, 5, 63, 64, 65, 130, std::numeric_limits<std::size_t>::max()};
  AttentionMask visible{random.coin() ? valid : nullptr, random.size(0, 2) > 0 ? Mask::causal : Mask::none};
  if (random.coin()) visible.first_query = random.size(0, 200);
  if (random.coin()) visible.window = windows[random.size(0, 7)];
  return visible;
}

/// A size next to where something begins: a tile, a panel, a group of queries.
std::size_t size_at_an_edge(RandomInput& random) {
  const std::size_t edges[] = {1, 8, 16, 32, 64, 128, 256};
  const std::size_t edge = edges[random.size(0, 6)];
  return std::max<std::size_t>(1, edge + random.size(0, 2) - 1);
}

} // namespace

TEST_CASE("a window by hand: query i sees itself and the window − 1 keys before it", "[kernels]") {
  const AttentionMask visible{nullptr, Mask::causal, 0, 2};
  for (std::size_t query = 0; query < 5; ++query)
    for (std::size_t key = 0; key < 5; ++key)
      CHECK(visible(key, query) == (key == query || key + 1 == query));
  CHECK(AttentionMask{nullptr, Mask::causal, 3, 2}(2, 0)); // of a block that begins with query 3
  CHECK_FALSE(AttentionMask{nullptr, Mask::causal, 3, 2}(1, 0));
  CHECK(AttentionMask{nullptr, Mask::none, 0, 2}(9, 0)); // a window is causal
  // Queries of 0: every key that is seen weighs the same.
  const arma::mat q(2, 4, arma::fill::zeros), k(2, 4, arma::fill::ones), v{{1, 2, 3, 4}};
  const arma::mat expected{{1, 1.5, 2.5, 3.5}};
  arma::mat out(1, 4);
  for_each_isa([&] {
    attention<double>(view(out), {view(q), view(k), view(v), visible});
    CHECK(worst_difference(out, expected) <= 1e-15);
    recorded_attention<double>(view(out), {view(q), view(k), view(v), visible}, {});
    CHECK(worst_difference(out, expected) <= 1e-15);
    attention<double>(view(out).columns(3, 1),
                      {view(q).columns(3, 1), view(k), view(v), {nullptr, Mask::causal, 3, 2}});
    CHECK(out(3) == 3.5);
  });
}

TEMPLATE_TEST_CASE("attention equals its definition, at every edge of its tiles", "[kernels]", float,
                   double) {
  for_each_isa([] {
    for (std::uint32_t seed = 0; seed < 120; ++seed) {
      RandomInput random(seed);
      const bool small = seed % 2 == 0;
      const std::size_t d_k = random.size(1, small ? 20 : 70), d_v = random.size(1, small ? 20 : 70),
                        n_k = small ? random.size(1, 70) : size_at_an_edge(random),
                        n_q = seed % 5 == 0 ? 1
                              : small       ? random.size(1, 70)
                                            : size_at_an_edge(random);
      const auto q = random_matrix<TestType>(random, d_k, n_q), k = random_matrix<TestType>(random, d_k, n_k),
                 v = random_matrix<TestType>(random, d_v, n_k);
      std::vector<std::uint8_t> valid(n_k);
      for (auto& key : valid) key = random.size(0, 3) > 0;
      if (seed % 7 == 0) std::fill_n(valid.begin(), n_k / 2, std::uint8_t{0}); // a tile that nobody sees
      const AttentionMask visible = random_mask(random, valid.data());
      const Expected expected = attention_by_hand(q, k, v, visible);
      arma::Mat<TestType> out(d_v, n_q), scores(n_k, n_q), weights(n_k, n_q), unwatched(d_v, n_q);
      INFO("seed " << seed << ", " << n_q << " queries, " << n_k << " keys");
      reset_executed_macs();
      recorded_attention<TestType>(view(out), {view(q), view(k), view(v), visible},
                                   {view(scores), view(weights)});
      CHECK(executed_macs() == n_q * n_k * (d_k + d_v));
      CHECK(worst_difference(scores, expected.scores) <= 3 * kernel_bound<TestType>);
      CHECK(worst_difference(weights, expected.weights) <= kernel_bound<TestType>);
      CHECK(worst_difference(out, expected.out) <= kernel_bound<TestType>);
      reset_executed_macs();
      attention<TestType>(view(unwatched), {view(q), view(k), view(v), visible});
      CHECK(executed_macs() == n_q * n_k * (d_k + d_v));
      CHECK(worst_difference(unwatched, expected.out) <= kernel_bound<TestType>);
    }
  });
}

TEMPLATE_TEST_CASE("what is hidden changes nothing, be it NaN", "[kernels]", float, double) {
  for_each_isa([] {
    for (const std::size_t n : {6, 70}) {
      RandomInput random(5);
      const TestType nan = std::numeric_limits<TestType>::quiet_NaN();
      const auto q = random_matrix<TestType>(random, 4, n);
      auto k = random_matrix<TestType>(random, 4, n), v = random_matrix<TestType>(random, 3, n);
      std::vector<std::uint8_t> valid(n, 1);
      valid[2] = 0;
      arma::Mat<TestType> clean(3, n), dirty(3, n);
      const AttentionMask visible{valid.data(), Mask::causal};
      attention<TestType>(view(clean), {view(q), view(k), view(v), visible});
      k.col(2).fill(nan), v.col(2).fill(nan);
      attention<TestType>(view(dirty), {view(q), view(k), view(v), visible});
      CHECK(worst_difference(dirty, clean) <= kernel_bound<TestType>);
      const arma::uword last = n - 1;
      AttentionMask of_last = visible; // asked alone, as in decoding
      of_last.first_query = last;
      attention<TestType>(view(dirty).columns(last, 1),
                          {view(q).columns(last, 1), view(k), view(v), of_last});
      CHECK(worst_difference(dirty.col(last).eval(), clean.col(last).eval()) <= kernel_bound<TestType>);
      v.col(last).fill(nan); // the last query alone sees it
      const auto check_last = [&] {
        CHECK(worst_difference(dirty.head_cols(last).eval(), clean.head_cols(last).eval()) <=
              kernel_bound<TestType>);
        CHECK(dirty.col(last).has_nan());
      };
      attention<TestType>(view(dirty), {view(q), view(k), view(v), visible});
      check_last();
      recorded_attention<TestType>(view(dirty), {view(q), view(k), view(v), visible}, {});
      check_last();
      attention<TestType>(view(dirty).columns(last, 1),
                          {view(q).columns(last, 1), view(k), view(v), of_last});
      CHECK(dirty.col(last).has_nan());
    }
  });
}

TEMPLATE_TEST_CASE("what stands before a window changes nothing, be it NaN", "[kernels]", float, double) {
  for_each_isa([] {
    for (const std::size_t window : {1, 3, 64, 100}) {
      RandomInput random(6);
      const std::size_t n_q = 40, n_k = 240, first = 200, hidden = first + 1 - window; // of the first query
      const TestType nan = std::numeric_limits<TestType>::quiet_NaN();
      const auto q = random_matrix<TestType>(random, 4, n_q);
      auto k = random_matrix<TestType>(random, 4, n_k), v = random_matrix<TestType>(random, 3, n_k);
      std::vector<std::uint8_t> valid(n_k);
      for (auto& key : valid) key = random.size(0, 3) > 0;
      const AttentionMask visible{valid.data(), Mask::causal, first, window};
      arma::Mat<TestType> clean(3, n_q), dirty(3, n_q), steps(3, n_q);
      attention<TestType>(view(clean), {view(q), view(k), view(v), visible});
      k.head_cols(hidden).fill(nan), v.head_cols(hidden).fill(nan);
      attention<TestType>(view(dirty), {view(q), view(k), view(v), visible});
      recorded_attention<TestType>(view(steps), {view(q), view(k), view(v), visible}, {});
      INFO("window " << window);
      CHECK(worst_difference(dirty, clean) <= kernel_bound<TestType>);
      CHECK(worst_difference(steps, clean) <= kernel_bound<TestType>);
      for (std::size_t j = 0; j < n_q; ++j) { // asked alone, as in decoding
        AttentionMask of_one = visible;
        of_one.first_query = first + j;
        attention<TestType>(view(dirty).columns(j, 1), {view(q).columns(j, 1), view(k), view(v), of_one});
      }
      CHECK(worst_difference(dirty, clean) <= kernel_bound<TestType>);
    }
  });
}

TEST_CASE("tiles before a window are not even read", "[kernels]") {
  // Queries 192 … 255 see the keys from 129 on; of the tiles of 64 the third is the first that they need.
  const GuardedColumns k(256, 128), v(256, 128), dk(256, 128), dv(256, 128);
  const AttentionMask visible{nullptr, Mask::causal, 192, 64};
  arma::fmat q(k.rows(), 64, arma::fill::ones), out(v.rows(), 64, arma::fill::ones), dq = q;
  const HeadInputs<float> inputs{view(std::as_const(q)), k.columns(), v.columns(), visible};
  for_each_isa([&] {
    attention<float>(view(out), inputs);
    CHECK(arma::abs(out).max() == 0); // all values are 0
    attention<float>(view(out).columns(0, 1), {view(q).columns(0, 1), k.columns(), v.columns(), visible});
    attention_backward<float>({view(dq), dk.columns(), dv.columns()}, view(q), inputs);
    CHECK(arma::abs(dq).max() == 0);
  });
}

TEMPLATE_TEST_CASE("a query that sees nothing gets zeros, scores of any size are weighed", "[kernels]", float,
                   double) {
  for_each_isa([] {
    RandomInput random(9);
    for (const std::size_t n_q : {1, 5, 40}) {
      auto q = random_matrix<TestType>(random, 8, n_q), k = random_matrix<TestType>(random, 8, 130),
           v = random_matrix<TestType>(random, 5, 130);
      std::vector<std::uint8_t> nobody(130, 0);
      arma::Mat<TestType> out(5, n_q);
      out.fill(7);
      attention<TestType>(view(out), {view(q), view(k), view(v), AttentionMask{nobody.data()}});
      CHECK(arma::approx_equal(out, arma::zeros<arma::Mat<TestType>>(5, n_q), "absdiff", 0));
      q *= 300; // scores of thousands: exp of them without the maximum would be infinite
      attention<TestType>(view(out), {view(q), view(k), view(v)});
      CHECK(worst_difference(out, attention_by_hand(q, k, v, AttentionMask{}).out) <=
            100 * kernel_bound<TestType>);
      k.fill(-std::numeric_limits<TestType>::infinity()), q.fill(1); // every score −∞
      attention<TestType>(view(out), {view(q), view(k), view(v)});
      CHECK(arma::approx_equal(out, arma::zeros<arma::Mat<TestType>>(5, n_q), "absdiff", 0));
      k.fill(0), k(0, 77) = std::numeric_limits<TestType>::infinity();
      attention<TestType>(view(out), {view(q), view(k), view(v)});
      CHECK(out.has_nan());
    }
  });
}

TEMPLATE_TEST_CASE("the same dropout in tiles and step by step", "[kernels]", float, double) {
  for_each_isa([] {
    for (std::uint32_t seed = 0; seed < 20; ++seed) {
      RandomInput random(seed);
      const std::size_t n_q = size_at_an_edge(random), n_k = size_at_an_edge(random);
      const auto q = random_matrix<TestType>(random, 4, n_q), k = random_matrix<TestType>(random, 4, n_k),
                 v = random_matrix<TestType>(random, 9, n_k);
      const RandomStream stream(seed, 1, 2);
      const WeightDropout dropout{0.3, [&](auto... range) { stream.draw(range...); }, random.size(0, 1000)};
      const AttentionMask visible = random_mask(random, nullptr);
      arma::Mat<TestType> tiled(9, n_q), steps(9, n_q), weights(n_k, n_q);
      attention<TestType>(view(tiled), {view(q), view(k), view(v), visible}, dropout);
      recorded_attention<TestType>(view(steps), {view(q), view(k), view(v), visible}, {{}, view(weights)},
                                   dropout);
      INFO("seed " << seed << ", " << n_q << " queries, " << n_k << " keys");
      CHECK(worst_difference(tiled, steps) <= kernel_bound<TestType>);
      drop(view(weights), dropout.rate, dropout.draw, dropout.first);
      CHECK(worst_difference(steps, (v * weights).eval()) <= kernel_bound<TestType>);
    }
  });
}
