// Lesson 15: a step of decoding by hand, against the engine's sampling, and the shipped model's numbers.

#include "core/error.hpp"
#include "io/file.hpp"
#include "io/npy.hpp"
#include "io/npz.hpp"
#include "lessons/run.hpp"
#include "model/search.hpp"
#include "random/numpy_rng.hpp"
#include "support/catch.hpp"
#include "support/command_line.hpp"
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
  for (std::size_t i = 0; i < ids.size(); ++i)
    CHECK(std::abs(t["logits"].data[i] - all.data[ids[i]]) < 5.1e-5); // four places
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
