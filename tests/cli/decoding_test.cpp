#include "cli/decode/decoding.hpp"

#include "cli/cache/comparison.hpp"
#include "cli/decode/answer.hpp"
#include "model/counts.hpp"
#include "support/catch.hpp"
#include "support/engine.hpp"
#include "support/small_model.hpp"

#include <fmt/format.h>

#include <cmath>

using namespace tfx;

namespace {

ModelCard card_of(const ModelSpec& spec) {
  ModelCard card;
  card.src = Vocabulary::of_ids(spec.src_vocab), card.tgt = Vocabulary::of_ids(spec.tgt_vocab);
  return card;
}

ModelSpec random_spec(RandomInput& random) {
  ModelSpec spec = small_spec();
  spec.layers = random.size(1, 3), spec.d_ff = random.size(1, 30);
  spec.norm = {random.coin() ? Norm::annotated : Norm::layer,
               random.coin() ? NormPlacement::pre_norm : NormPlacement::post_norm};
  return spec;
}

const Check& check_named(const Trace& trace, const std::string& id) {
  for (const Check& check : trace.checks)
    if (check.id == id) return check;
  throw std::out_of_range(id);
}

} // namespace

TEST_CASE("a decoded text carries each token's log-probability, its runner-up and where it looked",
          "[cli][decode]") {
  for (std::uint32_t seed = 0; seed < 12; ++seed) {
    INFO("seed " << seed);
    RandomInput random(seed);
    const ModelSpec spec = random_spec(random);
    const auto model = small_model<double>(seed, spec);
    const TokenIds src = random_rows(random, {random.size(1, 8)}, 11)[0];
    DecodeRequest request;
    request.limits = {1, 2u, 6};
    request.method =
        std::vector<DecodeMethod>{DecodeMethod::greedy, DecodeMethod::beam, DecodeMethod::sample}[seed % 3];
    request.beam = {3, 0.6}, request.sampling = {1.5, 7, 0.9, seed};
    const Decoded decoded = decode_text(model, card_of(spec), src, request);
    TokenIds target{1};
    double sum = 0;
    for (const WrittenToken& one : decoded.written) {
      const arma::mat all = forward(model, {ragged_batch({src}), ragged_batch({target})});
      const arma::vec last = all.col(target.size() - 1);
      CHECK(one.log_prob == Approx(last[one.token]).epsilon(1e-10));
      CHECK(one.runner_up != one.token);
      for (std::uint32_t id = 0; id < last.n_elem; ++id)
        if (id != one.token) CHECK(last[id] <= last[one.runner_up] + 1e-12);
      if (request.method == DecodeMethod::greedy) CHECK(one.runner_up_log_prob <= one.log_prob);
      if (request.method == DecodeMethod::sample) CHECK((one.drawn.probability > 0 && one.kept <= 7));
      sum += last[one.token];
      target.push_back(one.token);
    }
    CHECK(decoded.sum == Approx(sum).epsilon(1e-10));
    CHECK(decoded.written.size() == std::min<std::size_t>(decoded.tokens.size() + 1, 6));
    if (decoded.tree)
      CHECK(decoded.score == Approx(decoded.tree->nodes[decoded.tree->ranked[0]].score).epsilon(1e-10));
    // The hidden states lead to these log-probabilities: the memory through the decoder, its output through
    // the generator.
    for (const std::size_t layer : {std::size_t{0}, spec.layers - 1})
      for (const std::string& last : {"encoder.layers." + std::to_string(layer) + ".sublayer.1.output",
                                      "decoder.layers." + std::to_string(layer) + ".sublayer.2.output"})
        CHECK(decoded.trace[last].shape.back() == spec.d_model);
    const Tensor &states = decoded.trace["decoder.output"], &log_probs = decoded.trace["log_probs"];
    const arma::mat output(states.data.data(), spec.d_model, states.shape[0]);
    const Batch read = ragged_batch({TokenIds(target.begin(), target.end() - 1)});
    const arma::mat generated = generate(model, Tokens<double>{output, read.sequences});
    CHECK(std::equal(generated.begin(), generated.end(), log_probs.data.begin(),
                     [](double a, double b) { return std::abs(a - b) < 1e-11; }));
    const Tensor& memory = decoded.trace["memory"];
    const arma::mat columns(memory.data.data(), spec.d_model, memory.shape[0]);
    const arma::mat decoded_again =
        decode(model, read, Tokens<double>{columns, ragged_batch({src}).sequences});
    CHECK(arma::abs(decoded_again - output).max() < 1e-11);
    const Tensor& alignment = decoded.trace["alignment"];
    CHECK(alignment.shape == Shape{decoded.written.size(), src.size()});
    for (std::size_t row = 0; row < alignment.shape[0]; ++row) {
      double mass = 0;
      for (std::size_t key = 0; key < src.size(); ++key) mass += alignment.at({row, key});
      CHECK(mass == Approx(1));
    }
    CHECK(check_named(decoded.trace, "one_pass").pass);
  }
}

TEST_CASE("what the lesson decode proves holds for random models", "[cli][decode]") {
  for (std::uint32_t seed = 0; seed < 6; ++seed) {
    INFO("seed " << seed);
    RandomInput random(seed);
    const ModelSpec spec = random_spec(random);
    const auto model = small_model<double>(seed, spec);
    const TokenIds src = random_rows(random, {5}, 11)[0];
    DecodeRequest request;
    request.limits = {1, 2u, 6};
    Decoded decoded = decode_text(model, card_of(spec), src, request);
    prove_decoding(decoded, model, card_of(spec), request);
    for (const char* id : {"one_pass", "same_tokens", "beam_one", "exhaustive"})
      CHECK(check_named(decoded.trace, id).pass);
    // 3 tokens that do not end: 3⁴ of length 4, and those that end after 0 … 3 of them.
    CHECK(std::get<double>(decoded.trace.facts.at("all_targets")) == 81 + 1 + 3 + 9 + 27);
    CHECK(std::get<double>(decoded.trace.facts.at("greedy_sum")) <
          std::get<double>(decoded.trace.facts.at("best_sum")));
  }
}

TEST_CASE("another token in a greedy text: what the words say of it is what the model writes",
          "[cli][decode]") {
  std::size_t told = 0;
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    RandomInput random(seed);
    const ModelSpec spec = random_spec(random);
    const auto model = small_model<double>(seed, spec);
    const TokenIds src = random_rows(random, {5}, 11)[0];
    DecodeRequest request;
    request.limits = {1, std::nullopt, 6};
    Decoded decoded = decode_text(model, card_of(spec), src, request);
    prove_decoding(decoded, model, card_of(spec), request);
    const auto& facts = decoded.trace.facts;
    if (!facts.count("changed")) continue;
    ++told;
    const auto at = static_cast<std::size_t>(std::get<double>(facts.at("at"))) - 1;
    const TokenIds instead = Vocabulary::of_ids(13).encode(std::get<std::string>(facts.at("instead")));
    std::size_t changed = 0;
    for (std::size_t t = 0; t < 6; ++t) {
      TokenIds target{1};
      target.insert(target.end(), instead.begin(), instead.begin() + static_cast<std::ptrdiff_t>(t));
      const arma::mat all = forward(model, {ragged_batch({src}), ragged_batch({target})});
      if (t != at) CHECK(instead[t] == all.col(t).index_max());
      if (t > at) changed += instead[t] != decoded.tokens[t];
    }
    CHECK(instead[at] == decoded.written[at].runner_up);
    CHECK(std::get<double>(facts.at("changed")) == static_cast<double>(changed));
    CHECK(std::get<double>(facts.at("later")) == static_cast<double>(5 - at));
  }
  CHECK(told > 3);
}

TEST_CASE("the costs of the lesson cache equal their formulas, and both ways write the same",
          "[cli][decode]") {
  for (std::uint32_t seed = 0; seed < 12; ++seed) {
    INFO("seed " << seed);
    RandomInput random(seed);
    const ModelSpec spec = random_spec(random);
    const auto model = small_model<double>(seed, spec);
    const TokenIds src = random_rows(random, {random.size(1, 9)}, 11)[0];
    DecodeLimits limits{1, std::nullopt, random.size(1, 9)};
    if (random.coin()) limits.end = 2;
    const CacheComparison comparison = compare_cache(model, card_of(spec), src, limits);
    for (const Check& check : comparison.trace.checks) {
      INFO(check.id);
      CHECK(check.pass);
    }
    for (const ComparedStep& step : comparison.steps) {
      CHECK(step.cached.executed == step.cached.by_formula);
      CHECK(step.recomputed.executed == step.recomputed.by_formula);
    }
  }
}

TEST_CASE("closed forms of a step, by hand", "[cli][decode]") {
  ModelSpec spec;
  spec.layers = 1, spec.d_model = 2, spec.d_ff = 3, spec.heads = 1, spec.tgt_vocab = 5;
  // Q, K, V, O, and Q and O of the cross-attention: 6·4; 2·4·2 own pairs; 2·3·2 with the source; 2·2·3; 2·5.
  CHECK(cached_step_macs(spec, 3, 4) == 24 + 16 + 12 + 12 + 10);
  CHECK(recomputed_step_macs(spec, 3, 4) == 4 * (24 + 12) + 2 * 3 * 4 + 2 * 16 * 2 + 2 * 4 * 3 * 2 + 10);
  CHECK(memory_macs(spec, 3) == 2 * 3 * 4);
  CHECK(cached_numbers(spec, 3, 4) == 2 * 2 * 7);
}

TEST_CASE("an answer goes round where three tokens in a row stand four times in it", "[cli][decode]") {
  CHECK_FALSE(repeated_tokens({}));
  CHECK_FALSE(repeated_tokens({7, 7, 7, 7, 7})); // 7 7 7 three times
  const auto one = repeated_tokens({7, 7, 7, 7, 7, 7});
  REQUIRE(one);
  CHECK(one->tokens == TokenIds{7, 7, 7});
  CHECK(one->times == 4);
  CHECK_FALSE(repeated_tokens({1, 2, 3, 1, 2, 3, 1, 2, 3}));
  const auto apart = repeated_tokens({1, 2, 3, 9, 1, 2, 3, 8, 1, 2, 3, 7, 1, 2, 3});
  REQUIRE(apart);
  CHECK(apart->tokens == TokenIds{1, 2, 3});
  CHECK_FALSE(repeated_tokens({1, 2, 1, 2, 3, 4, 1, 2, 5, 1, 2, 6})); // two in a row are usual
}

// By hand: ids 3 and 4 of thirteen are drawn, the end is not; a tree of two targets that share their first
// token.
TEST_CASE("an answer's JSON has each number under its own name, and its page the sum", "[cli][decode]") {
  const ModelSpec spec = small_spec();
  const TrainedModel trained{"by hand", small_model<double>(1, spec), card_of(spec)};
  Decoded decoded;
  decoded.src = {5, 6}, decoded.tokens = {3, 4};
  decoded.written = {{3, 7, -0.5, -2, {3, 0.75}, 2}, {4, 8, -0.25, -3, {4, 0.5}, 3}};
  decoded.sum = -0.75, decoded.score = -0.375;
  decoded.tree = BeamTree{{{std::nullopt, 3, 1, -0.5, -0.5, -0.25, true, false},
                           {0, 4, 2, -0.25, -0.75, -0.375, true, false},
                           {0, 9, 2, -4, -4.5, -2.25, true, true}},
                          {1, 2}};
  decoded.trace.add_input("alignment", "", Tensor({2, 2}, {1, 0, 0, 1}), {{"3", "4"}, {"5", "6"}},
                          Role::result);
  const Report report = answer_report({}, decoded, trained, "5 6", {});
  const std::string json = render_json(report, Words());
  const auto number = [](double value) { return fmt::format("{}", value); };
  for (const std::string& shown :
       {std::string(R"("src": [5,6])"), std::string(R"("output": "3 4")"), std::string(R"("ended": false)"),
        std::string(R"("log_prob": -0.75)"), std::string(R"("score": -0.375)"),
        R"({"id":4,"token":"4","log_prob":-0.25,"probability":)" + number(std::exp(-0.25)) +
            R"(,"runner_up":{"id":8,"token":"8","log_prob":-3.0,"probability":)" + number(std::exp(-3)) +
            R"(},"drawn_with":0.5,"out_of":3})",
        R"({"parent":0,"id":9,"token":"9","log_prob":-4.0,"probability":)" + number(std::exp(-4)) +
            R"(,"sum":-4.5,"score":-2.25,"kept":true,"ended":true})",
        std::string(R"({"parent":null,"id":3,)"), std::string(R"("ranked": [1,2])")}) {
    INFO(json << "\nlacks: " << shown);
    CHECK(json.find(shown) != std::string::npos);
  }
  const std::string page =
      render_screen(report, Words::parse("## column.total\nall\n## tree\ntree\n"), Style());
  for (const char* shown : {"3 4\n\n", "\nall     -0.75       0.4724", "\n  4  -0.375              1\n"}) {
    INFO(page << "\nlacks: " << shown);
    CHECK(page.find(shown) != std::string::npos);
  }
}
