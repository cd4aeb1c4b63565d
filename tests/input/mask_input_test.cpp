// The learner's own mask for the heads of a batch, the mask that seems turned round, and where a causal
// triangle stands when there are not as many queries as keys.

#include "input/files.hpp"
#include "io/npy.hpp"
#include "lessons/run.hpp"
#include "random/numpy_rng.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "trace/checks.hpp"

#include <algorithm>
#include <random>

using namespace tfx;

namespace {

Tensor random_mask(const Shape& shape, std::mt19937& random) {
  Tensor mask(shape);
  const std::size_t n = shape.back();
  for (std::size_t i = 0; i < mask.size(); ++i) mask.data[i] = i % n == 0 || random() % 3 > 0; // no empty row
  return mask;
}

Trace heads_under(const Tensor& mask, const TemporaryFolder& folder, std::size_t batch, std::size_t heads,
                  std::size_t n) {
  InputOptions options;
  options.mask = folder.write("mask.npy", write_npy(mask));
  options.heads = heads, options.d_model = 2 * heads, options.n_q = n, options.seed = 7;
  if (batch) options.batch = batch;
  return run_lesson(find_lesson("multihead"), options).trace;
}

} // namespace

TEST_CASE("a mask a head, a sentence, and a sentence and head: 0 wherever it blocks", "[input][mask]") {
  const TemporaryFolder folder;
  std::mt19937 random(40);
  for (int i = 0; i < 30; ++i) {
    const std::size_t heads = 2 + random() % 3, batch = heads + 1 + random() % 3, n = 2 + random() % 4;
    INFO(heads << " heads, a batch of " << batch << ", " << n << " tokens");
    const auto blocked_only_there = [&](const Trace& trace, const Tensor& mask, auto place_in_mask) {
      const Tensor& weights = trace["weights"];
      for (std::size_t cell = 0; cell < weights.size(); ++cell)
        REQUIRE((weights.data[cell] == 0) == (mask.data[place_in_mask(cell)] == 0));
    };
    const Tensor of_heads = random_mask({heads, n, n}, random),
                 of_sentences = random_mask({batch, n, n}, random),
                 of_both = random_mask({batch * heads, n, n}, random);
    const auto same = [](std::size_t cell) { return cell; };
    blocked_only_there(heads_under(of_heads, folder, 0, heads, n), of_heads, same);
    blocked_only_there(heads_under(of_both, folder, batch, heads, n), of_both, same);
    blocked_only_there(heads_under(of_sentences, folder, batch, heads, n), of_sentences,
                       [&](std::size_t cell) { return cell / (heads * n * n) * n * n + cell % (n * n); });
  }
}

TEST_CASE("a mask of another number of heads or sentences is refused", "[input][mask]") {
  const TemporaryFolder folder;
  std::mt19937 random(41);
  CHECK_THROWS_AS(heads_under(random_mask({3, 4, 4}, random), folder, 0, 2, 4), Error);
  CHECK_THROWS_AS(heads_under(random_mask({5, 4, 4}, random), folder, 3, 2, 4), Error);
}

TEST_CASE("rows that see later keys and not themselves look turned round", "[input][mask]") {
  for (std::size_t n = 2; n < 8; ++n)
    for (std::size_t padding = 0; padding + 2 <= n; ++padding) {
      Tensor blocked({n, n}), seen({n, n}), all_but_self({n, n});
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
          blocked.at({i, j}) = j > i || j >= n - padding;
          seen.at({i, j}) = 1 - blocked.at({i, j});
          all_but_self.at({i, j}) = i != j;
        }
      INFO(n << " tokens, " << padding << " of them padding");
      CHECK(seems_turned_round(blocked) == (2 * std::min(n - padding, n - 1) >= n - 1));
      CHECK_FALSE(seems_turned_round(seen));
      if (n > 3) CHECK_FALSE(seems_turned_round(all_but_self));
    }
  CHECK_FALSE(seems_turned_round(Tensor({2, 4}, {0, 1, 1, 1, 0, 0, 1, 1})));
}

TEST_CASE("at the lower right, queries see what the last tokens of all see", "[mask][masked]") {
  std::mt19937 random(42);
  for (int i = 0; i < 30; ++i) {
    const std::size_t n_k = 1 + random() % 6, n_q = 1 + random() % n_k;
    InputOptions options;
    options.n_q = n_q, options.n_k = n_k, options.seed = static_cast<std::uint32_t>(random());
    options.causal_align = CausalAlign::lower_right;
    const Trace some = run_lesson(find_lesson("sdpa"), options).trace;
    const arma::mat Q = matrix(some["Q"]), K = matrix(some["K"]), V = matrix(some["V"]);
    arma::mat all(n_k, Q.n_cols, arma::fill::zeros); // earlier queries: nobody's, and cut off again
    all.tail_rows(n_q) = Q;
    const arma::mat whole = page::attention(all, K, V, page::causal_mask(n_k, n_k), 0).output;
    INFO(n_q << " queries, " << n_k << " keys");
    CHECK(relative_difference(matrix(some["output"]), arma::mat(whole.tail_rows(n_q))) < 1e-12);
    CHECK(some.facts.contains("lower_right") == (n_q != n_k));
    options.causal_align = CausalAlign::upper_left;
    const Trace upper = run_lesson(find_lesson("sdpa"), options).trace;
    options.causal_align = {}, options.causal = true;
    CHECK(run_lesson(find_lesson("sdpa"), options).trace["output"] == upper["output"]);
    CHECK(upper.facts.contains("upper_left") == (n_q != n_k));
  }
}
