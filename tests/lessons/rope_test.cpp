// Lesson rope: a turn by hand, both ways of pairing, a trained model's scores, and what is refused.

#include "core/tensor.hpp"
#include "input/options.hpp"
#include "lessons/catalogue.hpp"
#include "lessons/model/page.hpp"
#include "lessons/rope/llama.hpp"
#include "lessons/run.hpp"
#include "model/checkpoint.hpp"
#include "support/catch.hpp"
#include "support/random_input.hpp"
#include "support/small_model.hpp"
#include "support/temporary_folder.hpp"
#include "trace/checks.hpp"

#include <cmath>

using namespace tfx;

namespace {

Trace rope(const InputOptions& options) {
  const Lesson& lesson = find_lesson("rope");
  return lesson.run(resolve_input(options, lesson));
}

InputOptions sized(std::size_t n, std::size_t width, RotaryPairs pairs = RotaryPairs::neighbours) {
  InputOptions options;
  options.n_q = n, options.d_model = 4, options.d_k = width, options.pairs = pairs;
  return options;
}

const Experiment* find_experiment(const Trace& t, const std::string& name) {
  for (const Experiment& one : t.experiments)
    if (one.name == name) return &one;
  return nullptr;
}

ModelSpec rotary_decoder(RotaryPairs pairs) {
  ModelSpec spec = small_spec();
  spec.stacks = Stacks::decoder, spec.src_vocab = 0, spec.max_len = 9;
  spec.positions = Positions::rotary, spec.pairs = pairs, spec.kv_heads = 1, spec.rotary_base = 300;
  return spec;
}

} // namespace

TEST_CASE("a turn by hand", "[rope]") {
  // 1·cos 1 − 2·sin 1 = 0.5403 − 1.6829, 1·sin 1 + 2·cos 1 = 0.8415 + 1.0806
  const arma::mat A{{1, 2}}, angle(1, 1, arma::fill::ones);
  const arma::mat turned = page::rotated(A, angle, 1);
  CHECK(turned(0, 0) == Approx(-1.14264).epsilon(1e-5));
  CHECK(turned(0, 1) == Approx(1.92208).epsilon(1e-5));
  CHECK(std::abs(turned(0, 1) - (std::sin(1.0) + 2 * std::cos(1.0))) < 1e-15);
  // A quarter of a turn: (a, b) → (−b, a); the halves pair columns 0 and 2, 1 and 3.
  const arma::mat quarter(1, 2, arma::fill::value(arma::datum::pi / 2)), four{{1, 2, 3, 4}};
  CHECK(absolute_difference(page::rotated(four, quarter, 1), arma::mat{{-2, 1, -4, 3}}) < 1e-15);
  CHECK(absolute_difference(page::rotated(four, quarter, 2), arma::mat{{-3, -4, 1, 2}}) < 1e-15);
  // 10000^(−2/4) = 1/100
  const arma::mat angles = page::rotary_angles(arma::vec{0, 1, 5}, 2, 10000);
  CHECK(relative_difference(angles, arma::mat{{0, 0}, {1, 0.01}, {5, 0.05}}) < 1e-15);
}

TEST_CASE("scores know the distance and not the place, for any shape and either pairing", "[rope]") {
  RandomInput random(31);
  for (int round = 0; round < 60; ++round) {
    const auto pairs = round % 2 ? RotaryPairs::halves : RotaryPairs::neighbours;
    const std::size_t half = 1 + static_cast<std::size_t>(round) % 5;
    const arma::uword apart = pairs == RotaryPairs::neighbours ? 1 : half;
    const arma::mat q = random.matrix(1, 2 * half), k = random.matrix(1, 2 * half);
    const auto score = [&](double place_q, double place_k) {
      const auto turned = [&](const arma::mat& x, double place) {
        return page::rotated(x, page::rotary_angles(arma::vec{place}, half, 500), apart);
      };
      return arma::as_scalar(turned(q, place_q) * turned(k, place_k).t());
    };
    CHECK(std::abs(score(7, 3) - score(27, 23)) < 1e-12);
    CHECK(std::abs(score(5, 5) - arma::as_scalar(q * k.t())) < 1e-12);
    CHECK(std::abs(score(7, 3) - score(3, 7)) > 1e-9); // the sign of the distance counts
  }
}

TEST_CASE("the other pairs give other scores, the same lengths, and with columns reordered these scores",
          "[rope]") {
  for (const RotaryPairs pairs : {RotaryPairs::neighbours, RotaryPairs::halves})
    for (const std::size_t width : {4U, 6U, 10U}) {
      const Trace t = rope(sized(5, width, pairs));
      const Experiment* kinds = find_experiment(t, "kinds");
      REQUIRE(kinds);
      const arma::mat values = matrix(kinds->values);
      CHECK(values(0, 0) == 0);
      CHECK(values(1, 0) > 1e-3);
      CHECK(values(2, 0) < 1e-14);
      for (const Check& check : t.checks) {
        INFO(check.id);
        CHECK(check.pass);
      }
    }
}

TEST_CASE("of one pair there is one way, and a head of odd width is refused", "[rope]") {
  const Trace t = rope(sized(3, 2));
  CHECK_FALSE(find_experiment(t, "kinds"));
  CHECK(t.facts.contains("one_pair"));
  CHECK(matrix(t["scores"]).is_finite());
  CHECK_THROWS_AS(rope(sized(3, 5)), Error);
  CHECK_THROWS_AS(rope(sized(3, 1)), Error);
}

TEST_CASE("one token does not turn", "[rope]") {
  const Trace t = rope(sized(1, 4));
  CHECK(absolute_difference(matrix(t["Q_turned"]), matrix(t["Q"])) == 0);
}

TEST_CASE("a trained model's scores are its page's, head by head", "[rope][model]") {
  const TemporaryFolder folder;
  for (const RotaryPairs pairs : {RotaryPairs::neighbours, RotaryPairs::halves}) {
    const auto model = small_model<double>(9, rotary_decoder(pairs));
    InputOptions options;
    options.model = folder.path("model.safetensors");
    save_model(model, *options.model);
    options.text = "3 1 4 1 5";
    for (const std::size_t layer : {0U, 1U})
      for (const std::size_t head : {0U, 2U}) {
        options.layer = layer, options.head = head;
        const Trace t = rope(options);
        std::vector<std::uint32_t> ids;
        for (const double id : t["tgt"].data) ids.push_back(static_cast<std::uint32_t>(id));
        const Trace page = run_model_page(page_of(model, Batch(), ragged_batch({ids}), 1000));
        const Tensor& all = page["decoder.layers." + std::to_string(layer) + ".self_attn.scores"];
        CHECK(absolute_difference(matrix(t["scores"]), matrix(all, head)) < 1e-12);
      }
  }
}

TEST_CASE("a model that does not turn its queries is refused", "[rope][model]") {
  const TemporaryFolder folder;
  InputOptions options;
  for (const char* shipped : {"en-zh", "microgpt"}) {
    options.model = shipped;
    CHECK_THROWS_AS(rope(options), Error);
  }
  ModelSpec normed = rotary_decoder(RotaryPairs::halves);
  normed.qk_norm = true;
  options.model = folder.path("normed.safetensors");
  save_model(small_model<double>(9, normed), *options.model);
  CHECK_THROWS_AS(rope(options), Error);
}

TEST_CASE("a Llama's file tells which columns are a pair, and nothing else does", "[rope]") {
  const SmallLlama llama;
  const Lesson& lesson = find_lesson("rope");
  const auto off = [&](RotaryPairs pairs) {
    std::vector<Tensor> scores;
    for (std::size_t h = 0; h < llama.heads(); ++h) {
      LessonInput input = llama.head(h);
      input.pairs = pairs;
      scores.push_back(lesson.run(input)["scores"]);
    }
    return llama.logits_off(scores);
  };
  CHECK(off(RotaryPairs::halves) < 1e-12);
  CHECK(off(RotaryPairs::neighbours) > 1e-3);
}
