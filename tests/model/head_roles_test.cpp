// What a head looks at: shares by hand, heads whose role is known, what counts and what does not.

#include "model/head_roles.hpp"

#include "model/word_alignment.hpp"
#include "support/catch.hpp"

#include <random>

using namespace tfx;

namespace {

RolePair pair_of(const std::vector<std::string>& src, const std::vector<std::string>& tgt) {
  return {TokenIds(src.size(), 0), TokenIds(tgt.size(), 0), src, tgt};
}

const char* place_of(AttentionKind kind) {
  if (kind == AttentionKind::encoder) return "encoder.layers.0.self_attn";
  return kind == AttentionKind::decoder ? "decoder.layers.1.self_attn" : "decoder.layers.0.src_attn";
}

HeadScores scores_of(AttentionKind kind, const Tensor& weights, const RolePair& pair) {
  HeadMeter meter;
  meter.add(place_of(kind), weights, pair);
  REQUIRE(meter.heads().size() == 1);
  return meter.heads().front();
}

/// All weight on the keys that the rule names, alike; uniform where it names none that is visible.
Tensor attending(HeadRule rule, AttentionKind kind, const RolePair& pair) {
  const Tensor named = named_keys(rule, kind, pair);
  const std::size_t n_q = named.shape[0], n_k = named.shape[1];
  Tensor weights({1, n_q, n_k});
  for (std::size_t i = 0; i < n_q; ++i) {
    const std::size_t visible = kind == AttentionKind::decoder ? i + 1 : n_k;
    double count = 0;
    for (std::size_t j = 0; j < visible; ++j) count += named.data[i * n_k + j];
    for (std::size_t j = 0; j < visible; ++j)
      weights.data[i * n_k + j] =
          count > 0 ? named.data[i * n_k + j] / count : 1 / static_cast<double>(visible);
  }
  return weights;
}

Tensor random_weights(std::size_t n_q, std::size_t n_k, bool causal, std::mt19937& draw) {
  Tensor weights({1, n_q, n_k});
  for (std::size_t i = 0; i < n_q; ++i) {
    const std::size_t visible = causal ? i + 1 : n_k;
    double sum = 0;
    for (std::size_t j = 0; j < visible; ++j)
      sum += weights.data[i * n_k + j] = 1 + static_cast<double>(draw() % 1000);
    for (std::size_t j = 0; j < visible; ++j) weights.data[i * n_k + j] /= sum;
  }
  return weights;
}

} // namespace

TEST_CASE("a head's share of a rule, by hand", "[model][roles]") {
  // Queries a b a . over themselves; the row of the first has no previous key, that of the last no next one.
  const RolePair pair = pair_of({"a", "b", "a", "."}, {"<s>"});
  const Tensor weights({1, 4, 4}, {0.1, 0.2, 0.3, 0.4, //
                                   0.5, 0.1, 0.3, 0.1, //
                                   0.6, 0.1, 0.1, 0.2, //
                                   0.2, 0.1, 0.7, 0.0});
  const HeadScores head = scores_of(AttentionKind::encoder, weights, pair);
  CHECK(head.part == "encoder.layers.0.self_attn.head.0");
  CHECK(head.queries == 4);
  const auto check = [&](HeadRule rule, double weight, double uniform, std::size_t queries) {
    const RuleShare share = head.of(rule);
    CHECK(share.weight == Approx(weight).margin(1e-15));
    CHECK(share.uniform == Approx(uniform));
    CHECK(share.queries == queries);
  };
  check(HeadRule::previous, (0.5 + 0.1 + 0.7) / 3, 0.25, 3);
  check(HeadRule::next, (0.2 + 0.3 + 0.2) / 3, 0.25, 3);
  check(HeadRule::itself, (0.1 + 0.1 + 0.1 + 0.0) / 4, 0.25, 4);
  check(HeadRule::same_token, (0.3 + 0.6) / 2, 0.25, 2); // b and . stand once
  check(HeadRule::first, (0.1 + 0.5 + 0.6 + 0.2) / 4, 0.25, 4);
  check(HeadRule::last, (0.4 + 0.1 + 0.2 + 0.0) / 4, 0.25, 4);
  check(HeadRule::punctuation, (0.4 + 0.1 + 0.2 + 0.0) / 4, 0.25, 4);
  CHECK(head.of(HeadRule::mirrored).queries == 0); // of cross-attention alone
  CHECK(head.best() == HeadRule::same_token);
  CHECK_FALSE(HeadScores{}.best());
}

TEST_CASE("what the decoder may not see is no key, and a query with one key says nothing", "[model][roles]") {
  const RolePair pair = pair_of({"x"}, {"<s>", "a", "b"});
  const Tensor weights({1, 3, 3}, {1, 0, 0, 0.25, 0.75, 0, 0.5, 0.2, 0.3});
  const HeadScores head = scores_of(AttentionKind::decoder, weights, pair);
  CHECK(head.of(HeadRule::first).weight == Approx((0.25 + 0.5) / 2));
  CHECK(head.of(HeadRule::first).uniform == Approx((1.0 / 2 + 1.0 / 3) / 2));
  CHECK(head.of(HeadRule::first).queries == 2); // not the row that sees only itself
  CHECK(head.of(HeadRule::itself).weight == Approx((0.75 + 0.3) / 2));
  CHECK(head.of(HeadRule::previous).weight == Approx((0.25 + 0.2) / 2));
  CHECK(head.of(HeadRule::next).queries == 0);
  CHECK(head.of(HeadRule::last).queries == 0);
}

TEST_CASE("a head that attends by a rule has all of its weight there, and that role", "[model][roles]") {
  RolePair pair = pair_of({"a", "b", ",", "a", "c", "b", "d", "."}, {"<s>", "x", "y", ",", "x", "."});
  pair.aligned = {{3}, {1, 5}, {}, {7}, {2}};
  for (const AttentionKind kind : {AttentionKind::encoder, AttentionKind::decoder, AttentionKind::cross})
    for (const auto& [name, rule] : head_rules()) {
      INFO(place_of(kind) << ": " << name);
      const HeadScores head = scores_of(kind, attending(rule, kind, pair), pair);
      if (head.of(rule).queries == 0) continue;
      CHECK(head.of(rule).weight == Approx(1));
      const bool is_last_and_point =
          rule == HeadRule::last; // the last key is a full stop, as is punctuation's
      if (!is_last_and_point && rule != HeadRule::same_token) CHECK(head.role() == rule);
    }
  const RolePair capital = pair_of({"⇧", "ok", "⇪", "!"}, {"<s>"});
  const Tensor named = named_keys(HeadRule::punctuation, AttentionKind::encoder, capital);
  CHECK(std::vector<double>(named.data.begin(), named.data.begin() + 4) == std::vector<double>{0, 0, 0, 1});
}

TEST_CASE("uniform attention scores its baseline by every rule and has no role", "[model][roles]") {
  std::mt19937 draw(1);
  for (int round = 0; round < 200; ++round) {
    const auto tokens = [&](std::size_t count) {
      std::vector<std::string> names;
      for (std::size_t i = 0; i < count; ++i) names.push_back(std::string(1, "abc.,"[draw() % 5]));
      return names;
    };
    RolePair pair = pair_of(tokens(1 + draw() % 9), tokens(1 + draw() % 9));
    for (std::size_t i = 0; i + 1 < pair.tgt.size(); ++i)
      pair.aligned.push_back(draw() % 2 ? std::vector<std::size_t>{draw() % pair.src.size()}
                                        : std::vector<std::size_t>{});
    for (const AttentionKind kind : {AttentionKind::encoder, AttentionKind::decoder, AttentionKind::cross}) {
      const std::size_t n_q = (kind == AttentionKind::encoder ? pair.src : pair.tgt).size(),
                        n_k = (kind == AttentionKind::decoder ? pair.tgt : pair.src).size();
      const bool causal = kind == AttentionKind::decoder;
      Tensor uniform({1, n_q, n_k});
      for (std::size_t i = 0; i < n_q; ++i)
        for (std::size_t j = 0; j < (causal ? i + 1 : n_k); ++j)
          uniform.data[i * n_k + j] = 1 / static_cast<double>(causal ? i + 1 : n_k);
      const HeadScores flat = scores_of(kind, uniform, pair),
                       drawn = scores_of(kind, random_weights(n_q, n_k, causal, draw), pair);
      CHECK_FALSE(flat.role());
      CHECK(flat.said().starts_with("none"));
      for (const auto& [name, rule] : head_rules()) {
        CHECK(flat.of(rule).weight == Approx(flat.of(rule).uniform));
        CHECK((drawn.of(rule).weight >= 0 && drawn.of(rule).weight <= 1 + 1e-12));
        CHECK(drawn.of(rule).uniform == flat.of(rule).uniform);
        CHECK(drawn.of(rule).queries <= n_q);
        if (drawn.of(rule).queries) CHECK((flat.of(rule).uniform > 0 && flat.of(rule).uniform < 1));
      }
    }
  }
}

TEST_CASE("words that go together are aligned by the pairs alone", "[model][roles]") {
  // "das haus", "das buch", "ein buch": each word of one side goes with one of the other.
  const std::vector<TextPair> pairs{{{0, 1}, {10, 11}}, {{0, 2}, {10, 12}}, {{3, 2}, {13, 12}}};
  const auto aligned = align_words(pairs, 30);
  using Places = std::vector<std::vector<std::size_t>>;
  CHECK(aligned[1][0] == std::vector<std::size_t>{0});
  CHECK(aligned[1][1] == std::vector<std::size_t>{1});
  // A word that stands twice is aligned at both places; of one pair nobody can say.
  CHECK(align_words({{{5, 5}, {7}}, {{6}, {8}}, {{5}, {7}}, {{6, 5}, {8, 7}}}, 30)[0] == Places{{0, 1}});
  CHECK(align_words({{{1, 2}, {3, 4}}})[0] == Places{{}, {}});
}
