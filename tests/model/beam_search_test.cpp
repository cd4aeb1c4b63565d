#include "model/search.hpp"

#include "io/error_of.hpp"
#include "support/catch.hpp"
#include "support/engine.hpp"
#include "support/small_model.hpp"

#include <cmath>

using namespace tfx;

namespace {

ModelSpec one_layer_spec(RandomInput& random) {
  ModelSpec spec = small_spec();
  spec.layers = 1, spec.tgt_vocab = 4;
  spec.norm.placement = random.coin() ? NormPlacement::pre_norm : NormPlacement::post_norm;
  return spec;
}

struct Scored {
  TokenIds tokens; ///< without the end
  double sum, score;
};

/// Every target that limits allow, by one whole forward pass each, in no order.
class Exhaustive {
public:
  Exhaustive(const Transformer<double>& model, const TokenIds& src, const DecodeLimits& limits,
             double exponent)
      : model_(model), src_(src), limits_(limits), exponent_(exponent) {
    extend({}, 0);
  }

  std::vector<Scored> targets;

private:
  void extend(const TokenIds& tokens, double sum) {
    if (tokens.size() == limits_.max_tokens) return add(tokens, sum, tokens.size());
    TokenIds target{limits_.start};
    target.insert(target.end(), tokens.begin(), tokens.end());
    const arma::mat log_probs = forward(model_, {ragged_batch({src_}), ragged_batch({target})});
    for (std::uint32_t token = 0; token < log_probs.n_rows; ++token) {
      const double longer = sum + log_probs(token, tokens.size());
      TokenIds next = tokens;
      next.push_back(token);
      if (token == limits_.end)
        add(tokens, longer, next.size());
      else
        extend(next, longer);
    }
  }

  void add(const TokenIds& tokens, double sum, std::size_t length) {
    targets.push_back({tokens, sum, sum / std::pow((5.0 + static_cast<double>(length)) / 6.0, exponent_)});
  }

  const Transformer<double>& model_;
  TokenIds src_;
  DecodeLimits limits_;
  double exponent_;
};

} // namespace

TEST_CASE("a beam of 1 is greedy, whatever the length penalty, with and without the cache", "[search]") {
  for (std::uint32_t seed = 0; seed < 30; ++seed) {
    INFO("seed " << seed);
    RandomInput random(seed);
    ModelSpec spec = small_spec();
    spec.norm.placement = random.coin() ? NormPlacement::pre_norm : NormPlacement::post_norm;
    const auto model = small_model<float>(seed, spec);
    const Batch src = ragged_batch(random_rows(random, {random.size(1, 9)}, 11));
    DecodeLimits limits{1, std::nullopt, 10};
    if (random.coin()) limits.end = static_cast<std::uint32_t>(random.size(0, 12));
    const TokenIds expected = greedy(model, src, limits)[0];
    for (const double exponent : {0.0, 0.6, 2.0})
      for (const Prefix prefix : {Prefix::cached, Prefix::recomputed}) {
        const BeamTree tree = beam_search(model, src, limits, {1, exponent}, prefix);
        REQUIRE(tree.ranked.size() == 1);
        CHECK(tree.tokens(tree.ranked[0]) == expected);
      }
  }
}

TEST_CASE("a beam that keeps all is exhaustive search", "[search]") {
  for (std::uint32_t seed = 0; seed < 6; ++seed) {
    INFO("seed " << seed);
    RandomInput random(seed);
    const auto model = small_model<double>(seed, one_layer_spec(random));
    const TokenIds src = random_rows(random, {5}, 11)[0];
    DecodeLimits limits{1, std::nullopt, 4};
    if (seed % 3 != 0) limits.end = 2;
    for (const double exponent : {0.0, 0.6, 1.5}) {
      Exhaustive all(model, src, limits, exponent);
      std::stable_sort(all.targets.begin(), all.targets.end(),
                       [](const Scored& a, const Scored& b) { return a.score > b.score; });
      const std::size_t expected = limits.end ? 3 * 3 * 3 * 3 + 1 + 3 + 9 + 27 : 4 * 4 * 4 * 4;
      REQUIRE(all.targets.size() == expected);
      const BeamTree tree = beam_search(model, ragged_batch({src}), limits, {expected, exponent});
      REQUIRE(tree.ranked.size() == expected);
      for (std::size_t i = 0; i < expected; ++i) {
        CHECK(tree.tokens(tree.ranked[i]) == all.targets[i].tokens);
        CHECK(tree.nodes[tree.ranked[i]].sum == Approx(all.targets[i].sum).epsilon(1e-12));
        CHECK(tree.nodes[tree.ranked[i]].score == Approx(all.targets[i].score).epsilon(1e-12));
      }
    }
  }
}

TEST_CASE("the tree holds what was expanded, and at every step the best of it is kept", "[search]") {
  for (std::uint32_t seed = 0; seed < 10; ++seed) {
    INFO("seed " << seed);
    RandomInput random(seed);
    const auto model = small_model<double>(seed);
    const Batch src = ragged_batch(random_rows(random, {5}, 11));
    const std::size_t width = random.size(2, 5);
    const BeamTree tree = beam_search(model, src, {1, 3u, 6}, {width, 0.6});
    CHECK(tree.ranked.size() == width);
    std::vector<std::size_t> kept(7, 0), live(7, 0);
    live[0] = 1;
    for (const BeamNode& node : tree.nodes) {
      CHECK(node.length == (node.parent ? tree.nodes[*node.parent].length + 1 : 1));
      CHECK(node.sum == (node.parent ? tree.nodes[*node.parent].sum : 0) + node.log_prob);
      CHECK(node.ended == (node.token == 3));
      if (node.parent) CHECK((tree.nodes[*node.parent].kept && !tree.nodes[*node.parent].ended));
      kept[node.length] += node.kept;
      live[node.length] += node.kept && !node.ended;
    }
    for (std::size_t step = 1; step <= 6; ++step) {
      CHECK(kept[step] <= width);
      const auto expanded = std::count_if(tree.nodes.begin(), tree.nodes.end(),
                                          [&](const BeamNode& node) { return node.length == step; });
      CHECK(static_cast<std::size_t>(expanded) == live[step - 1] * width);
    }
    for (std::size_t i = 1; i < tree.ranked.size(); ++i)
      CHECK(tree.nodes[tree.ranked[i - 1]].score >= tree.nodes[tree.ranked[i]].score);
  }
}

TEST_CASE("without a length penalty the score is the plain sum; the paper's is ((5 + n) / 6)^A", "[search]") {
  CHECK(length_penalty(9, 0) == 1);
  CHECK(length_penalty(1, 0.6) == 1);
  CHECK(length_penalty(7, 1) == 2);
  CHECK(length_penalty(19, 0.5) == 2);
  const auto model = small_model<double>(2);
  for (const BeamNode& node : beam_search(model, ragged_batch({{1, 2}}), {1, 3u, 5}, {3, 0}).nodes)
    CHECK(node.score == node.sum);
}

TEST_CASE("a beam needs one source and a width", "[search]") {
  const auto model = small_model<double>(2);
  check_error(ErrorKind::bad_data, "the target of one source, not of 2", [&] {
    beam_search(model, ragged_batch({{1}, {2}}), {1, 3u, 5}, {3, 0});
  });
  check_error(ErrorKind::bad_data, "width 0 keeps no target", [&] {
    beam_search(model, ragged_batch({{1}}), {1, 3u, 5}, {0, 0});
  });
  CHECK(beam_search(model, ragged_batch({{1}}), {1, 3u, 0}, {2, 0}).ranked.empty());
}
