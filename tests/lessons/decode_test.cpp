// Lesson 15: a step of decoding by hand, against the engine's sampling, and the shipped model's numbers.

#include "core/error.hpp"
#include "io/file.hpp"
#include "io/npy.hpp"
#include "io/npz.hpp"
#include "lessons/run.hpp"
#include "model/checkpoint.hpp"
#include "model/search.hpp"
#include "random/numpy_rng.hpp"
#include "support/catch.hpp"
#include "support/command_line.hpp"
#include "support/small_model.hpp"
#include "support/temporary_folder.hpp"
#include "trace/checks.hpp"

#include <algorithm>
#include <cmath>

using namespace tfx;

namespace {

Trace decoding_step(const InputOptions& options) {
  return run_lesson(find_lesson("decode"), options).trace;
}

std::string text(const Trace& t, const char* name) {
  return std::get<std::string>(t.facts.at(name));
}

} // namespace

TEST_CASE("top-k, top-p and a draw, by hand", "[lessons][decode]") {
  // Of ln 8, ln 1, ln 4, ln 2, ln 5 the softmax is 0.4, 0.05, 0.2, 0.1, 0.25.
  const arma::mat logits = arma::log(arma::mat{{8, 1, 4, 2, 5}});
  const page::Sampled s = page::sample_from(logits, {.temperature = 1, .top_k = 4, .top_p = 0.8}, 0.5);
  const auto is = [](const arma::mat& a, const arma::mat& b) { return arma::abs(a - b).max() < 1e-12; };
  CHECK(is(s.probs, {{0.4, 0.05, 0.2, 0.1, 0.25}}));
  CHECK(is(s.kept_k, {{1, 0, 1, 1, 1}}));
  CHECK(is(s.probs_k, arma::mat{{0.4, 0, 0.2, 0.1, 0.25}} / 0.95));
  CHECK(is(s.before, arma::mat{{0, 0.95, 0.65, 0.85, 0.4}} / 0.95));
  CHECK(
      is(s.kept_p, {{1, 0, 1, 0, 1}})); // 0.65/0.95 = 0.684 stands before the third, 0.895 before the fourth
  CHECK(is(s.probs_p, arma::mat{{0.4, 0, 0.2, 0, 0.25}} / 0.85));
  CHECK(is(s.drawn, {{0, 0, 0, 0, 1}})); // from 0.471 to 0.765
  CHECK(is(page::sample_from(logits, {.temperature = 0.5, .top_k = 5, .top_p = 1}, 0).probs,
           arma::mat{{64, 1, 16, 4, 25}} / 110));
  CHECK(is(page::top_k({{1, 3, 3, 3}}, 2), {{0, 1, 1, 0}})); // of equal ones the first
  CHECK(is(page::mass_before({{0.25, 0.5, 0.25}}), {{0.5, 0, 0.75}}));
  CHECK(is(page::beam_scores({{-1, -2}, {-3, -1}, {-9, -3}}, {2, 3}, 1), {{-4 * 6.0 / 7, -6 * 6.0 / 8}}));
}

TEST_CASE("the page chooses as the engine does", "[lessons][decode]") {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    NumpyRandom random(seed);
    const std::size_t V = 2 + seed % 30;
    const arma::rowvec logits(random.randn({V}).data);
    const double u = random.rand({1}).data[0];
    const page::Sampling sampling{0.3 + 0.2 * (seed % 7), 1 + seed % 9, 0.2 + 0.1 * (seed % 9)};
    const page::Sampled s = page::sample_from(logits, sampling, u);
    const arma::rowvec log_probs = logits - std::log(arma::accu(arma::exp(logits)));
    const std::vector<Choice> kept = choices({log_probs.begin(), log_probs.end()},
                                             {sampling.temperature, sampling.top_k, sampling.top_p, 0});
    INFO("seed " << seed);
    CHECK(arma::accu(s.probs_p > 0) == kept.size());
    for (const Choice& one : kept) CHECK(s.probs_p(one.token) == Approx(one.probability).epsilon(1e-12));
    CHECK(s.drawn.index_max() == draw(kept, u));
    CHECK(arma::accu(s.drawn) == 1);
  }
}

TEST_CASE("the step is the shipped model's", "[lessons][decode]") {
  const TemporaryFolder folder;
  const std::string file = folder.path("logits.npz");
  const Ran ran = run_command_line({"model", "--weights", "numbers-zh", "--src", "million six one and two",
                                    "--tgt", "1", "--show", "logits", "--quiet", "--save", file});
  REQUIRE(ran.status == 0);
  const std::string bytes = read_file(file);
  const Tensor all = NpzReader(bytes, file).read("logits").values; // of its 19 tokens; the page has eight
  const Trace t = decoding_step({});
  const std::vector<std::size_t> ids = {2, 4, 7, 8, 9, 12, 15, 18};
  REQUIRE(all.shape == Shape{1, 19});
  // The page has four places; the order of float32's sums, which each set of vectors has of its own, moves a
  // logit by some 1e-6 of the largest.
  const double bound = 5e-5 + 2e-6 * arma::abs(arma::vec(all.data)).max();
  for (std::size_t i = 0; i < ids.size(); ++i)
    CHECK(std::abs(t["logits"].data[i] - all.data[ids[i]]) < bound);
  // What the beam's targets begin with is this step.
  const Tensor &targets = t["target_log_probs"], &log_probs = t["log_probs"];
  const std::vector<std::size_t> first = {6, 2, 6, 7}; // 百 四 百 万
  for (std::size_t j = 0; j < first.size(); ++j)
    CHECK(std::abs(targets.data[j] - log_probs.data[first[j]]) < 2e-4);
  CHECK(text(t, "best") == "百");
  CHECK(text(t, "taken") == "四");
  CHECK(text(t, "likeliest") == "百万</s>");
  CHECK(text(t, "winner") == "四百万</s>");
  CHECK(text(t, "greedy_target") == "百万一</s>"); // 百万 begins so too: at its third step greedy goes on
}

TEST_CASE("behind a text the step is the decoder's, and its targets are the beam's and greedy's",
          "[lessons][decode][trained]") {
  const TemporaryFolder folder;
  const std::string path = folder.path("decoder.safetensors");
  for (const std::uint32_t seed : {1, 2, 3, 4, 5, 6}) {
    INFO("seed " << seed);
    ModelSpec spec = small_spec();
    spec.stacks = Stacks::decoder, spec.src_vocab = 0, spec.max_len = 5 + seed;
    spec.positions = seed % 2 ? Positions::learned : Positions::rotary, spec.tied = seed % 3 == 0;
    if (seed % 2 == 0) spec.heads = 2, spec.kv_heads = 1;
    const auto model = small_model<double>(seed, spec);
    save_model(model, path);
    InputOptions options;
    options.model = path, options.text = "3 7 4 2";
    const Trace t = decoding_step(options);
    for (const Check& check : t.checks) {
      INFO(check.id << " " << check.value);
      CHECK(check.pass);
    }
    const TokenIds read{1, 3, 7, 4, 2}; // 1 starts a target of ids
    const Prompt prompt(std::vector<TokenIds>{read});
    NextToken<double> next(model, prompt, {read.size(), 1}, Prefix::cached);
    const arma::vec log_probs = next.after(std::vector<TokenIds>{read}).col(0);
    CHECK(relative_difference(t["log_probs"], Tensor({1, 13}, {log_probs.begin(), log_probs.end()})) < 1e-12);
    const std::size_t most = std::min<std::size_t>(8, 1 + seed);
    const DecodeLimits limits{1, std::nullopt, most};
    const BeamTree tree = beam_search(model, prompt, limits, Beam{4, 0.6});
    REQUIRE(t["score"].size() >= tree.ranked.size());
    for (std::size_t i = 0; i < tree.ranked.size(); ++i) {
      CHECK(t["score"].data[i] == Approx(tree.nodes[tree.ranked[i]].score).epsilon(1e-12));
      CHECK(t["sum"].data[i] == Approx(tree.nodes[tree.ranked[i]].sum).epsilon(1e-12));
    }
    std::string written; // as the columns have it
    const std::vector<TokenIds> alone = greedy(model, prompt, limits);
    for (const std::uint32_t id : alone.front()) written += std::to_string(id);
    CHECK(std::ranges::count(t.step_named("sum").labels.back(), written) == 1);
    CHECK(text(t, "greedy_target") == written);
  }
}

TEST_CASE("what a step of decoding promises holds of any logits", "[lessons][decode]") {
  const TemporaryFolder folder;
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    NumpyRandom random(seed);
    Tensor logits = random.randn({1, 1 + seed});
    if (seed % 4 == 1) std::ranges::fill(logits.data, 2.0); // all alike
    InputOptions options;
    options.logits = folder.write("logits.npy", write_npy(logits)), options.seed = seed;
    options.temperature = 0.1 * (1 + seed % 20), options.top_k = 1 + seed % 6,
    options.top_p = 0.05 * (1 + seed % 20);
    const Trace t = decoding_step(options);
    INFO("seed " << seed);
    for (const Check& check : t.checks) {
      INFO(check.id << " " << check.value);
      CHECK(check.pass);
    }
    if (options.top_k == 1) CHECK(t["taken"] == t["greedy"]);
  }
}

TEST_CASE("a step has one row of logits, and finite ones", "[lessons][decode]") {
  const TemporaryFolder folder;
  InputOptions options;
  options.logits = folder.write("two.npy", write_npy(Tensor({2, 3})));
  CHECK_THROWS_WITH(decoding_step(options), Catch::Matchers::ContainsSubstring("2 rows"));
  options.logits = folder.write("nan.npy", write_npy(Tensor({1, 2}, {0, std::nan("")})));
  CHECK_THROWS_AS(decoding_step(options), Error);
  options.logits = folder.write("cut.npy", write_npy(Tensor({1, 3}, {1, -INFINITY, 0}))); // never written
  CHECK(decoding_step(options)["probs_p"].data[1] == 0);
}
