// Lesson 14: a training step by hand, against torch.optim, and against the engine's kernel.

#include "core/error.hpp"
#include "io/file.hpp"
#include "io/npz.hpp"
#include "kernels/adam.hpp"
#include "lessons/run.hpp"
#include "random/numpy_rng.hpp"
#include "support/catch.hpp"
#include "support/lesson_trace.hpp"
#include "trace/checks.hpp"
#include "train/gradient_descent.hpp"

#include <algorithm>

using namespace tfx;

namespace {

Trace training_step(const InputOptions& options) {
  return run_lesson(find_lesson("train"), options).trace;
}

} // namespace

TEST_CASE("two steps of Adam, by hand", "[lessons][train]") {
  page::AdamStep step{.learning_rate = 0.1, .epsilon = 0};
  const arma::mat W{1.0}, nothing{0.0};
  const page::Adam first = page::adam(W, arma::mat{0.5}, {nothing, nothing}, step);
  CHECK(first.m(0) == Approx(0.05));        // 0.1·0.5
  CHECK(first.v(0) == Approx(0.005));       // 0.02·0.25
  CHECK(first.m_hat(0) == Approx(0.5));     // 0.05/0.1
  CHECK(first.v_hat(0) == Approx(0.25));    // 0.005/0.02
  CHECK(first.direction(0) == Approx(1.0)); // 0.5/0.5
  CHECK(first.W(0) == Approx(0.9));
  step.t = 2, step.decay = 0.5;
  const page::Adam second = page::adam(first.W, arma::mat{-0.1}, first, step);
  CHECK(second.m(0) == Approx(0.035));                           // 0.9·0.05 − 0.1·0.1
  CHECK(second.v(0) == Approx(0.0051));                          // 0.98·0.005 + 0.02·0.01
  CHECK(second.m_hat(0) == Approx(0.035 / 0.19));                // 1 − 0.81
  CHECK(second.v_hat(0) == Approx(0.0051 / 0.0396));             // 1 − 0.9604
  CHECK(second.direction(0) == Approx(0.5133067).epsilon(1e-6)); // 0.1842105/0.3588703, the root of 0.1287879
  CHECK(second.W(0) == Approx(0.9 - 0.1 * (0.5133067 + 0.5 * 0.9)).epsilon(1e-6));
  CHECK(page::sgd(W, arma::mat{0.5}, 0.1)(0) == Approx(0.95));
}

TEST_CASE("a step of SGD and of AdamW equals torch.optim's", "[lessons][train]") {
  const std::string file = "data/reference/lessons/happy-llm-4.npz",
                    path = std::string(TFX_SOURCE_DIR) + "/" + file;
  const std::string bytes = read_file(path);
  const NpzReader reference(bytes, file);
  for (const auto& [optimizer, name] :
       {std::pair(Optimizer::sgd, "sgd"), std::pair(Optimizer::adamw, "adamw")}) {
    InputOptions options;
    options.optimizer = optimizer, options.learning_rate = 0.1;
    if (optimizer == Optimizer::adamw) options.weight_decay = 0.3;
    const Trace t = training_step(options);
    std::size_t compared = 0;
    for (const Step& step : t.steps) {
      const std::string key = std::string("train.") + name + "." + step.name;
      if (!reference.has(key)) continue;
      INFO(key);
      CHECK(relative_difference(step.value, reference.read(key).values) <= 1e-12);
      ++compared;
    }
    CHECK(compared >= 19); // W_Q_after … loss_after, update_W_Q …
  }
}

TEST_CASE("the page's Adam is the engine's", "[lessons][train]") {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    NumpyRandom random(seed);
    const std::size_t n = 1 + seed * 7;
    arma::vec p = random.randn({n}).data, m = random.randn({n}).data, v = arma::square(m) + 0.1;
    const arma::vec g = random.randn({n}).data;
    const page::AdamStep step{.learning_rate = 0.03, .t = 1.0 + seed, .decay = seed % 2 ? 0.2 : 0};
    const page::Adam page = page::adam(p, g, {m, v}, step);
    const AdamStep same{{step.beta_1, step.beta_2, step.epsilon, step.decay}, step.learning_rate, 1 + seed};
    adam(AdamView<double>{p.memptr(), m.memptr(), v.memptr(), g.memptr(), n}, same);
    CHECK(relative_difference(page.W, arma::mat(p)) <= 1e-12);
    CHECK(relative_difference(page.m, arma::mat(m)) <= 1e-12);
    CHECK(relative_difference(page.v, arma::mat(v)) <= 1e-12);
  }
  const AdamRule usual;
  const page::AdamStep page;
  CHECK((page.beta_1 == usual.beta_1 && page.beta_2 == usual.beta_2 && page.epsilon == usual.epsilon));
}

TEST_CASE("the page's learning rate is the engine's", "[lessons][train]") {
  const Schedule engine{.rate = 1, .warmup = 4000, .d_model = 512};
  for (const std::uint64_t step : {1, 7, 3999, 4000, 4001, 100'000})
    CHECK(page::warmed_up_rate(static_cast<double>(step), 512, 4000) ==
          Approx(learning_rate(engine, step)).epsilon(1e-12));
  CHECK(page::warmed_up_rate(4, 4, 1) == Approx(0.25)); // 1/√4 · 1/√4
}

TEST_CASE("what a training step promises holds of any input", "[lessons][train]") {
  for (std::uint32_t seed = 1; seed <= 24; ++seed) {
    InputOptions options;
    options.seed = seed, options.n_q = 3 + seed % 5, options.d_model = 2 + seed % 4;
    options.init = seed % 2 ? Init::xavier : Init::normal;
    if (seed % 3 == 0) options.batch = 2;
    if (seed % 4 == 0) options.smoothing = 0.1;
    options.optimizer = seed % 3 == 0 ? Optimizer::sgd : seed % 3 == 1 ? Optimizer::adam : Optimizer::adamw;
    options.learning_rate = 1e-4;
    const Trace t = training_step(options);
    INFO("seed " << seed);
    for (const Check& check : t.checks) {
      INFO(check.id << " " << check.value);
      CHECK(check.pass);
    }
    if (options.optimizer == Optimizer::adamw) continue; // its decay may cost more than the gradient gains
    CHECK(number_of(t, "came") < 0);
    CHECK(number_of(t, "came") == Approx(number_of(t, "promised")).epsilon(0.02)); // to first order
  }
}

TEST_CASE("a step that is too long raises the loss, and the page says so", "[lessons][train]") {
  InputOptions options;
  options.learning_rate = 20;
  const Trace t = training_step(options);
  CHECK(t.facts.contains("rose"));
  CHECK_FALSE(t.facts.contains("fell"));
  CHECK(std::ranges::all_of(t.checks, &Check::pass));
  options.learning_rate = 0;
  CHECK(training_step(options)["loss_after"] == training_step(options)["loss"]);
}

TEST_CASE("weight decay is AdamW's alone", "[lessons][train]") {
  InputOptions options;
  options.weight_decay = 0.1;
  for (const Optimizer optimizer : {Optimizer::sgd, Optimizer::adam}) {
    options.optimizer = optimizer;
    CHECK_THROWS_AS(training_step(options), Error);
  }
  options.optimizer = Optimizer::adamw;
  const Trace t = training_step(options);
  CHECK(relative_difference(t["m_W_Q"], training_step({})["m_W_Q"]) == 0);
  CHECK(t["W_Q_after"] != training_step({})["W_Q_after"]);
}

TEST_CASE("the table of optimizers says what each one's own run says", "[lessons][train]") {
  const Trace t = training_step({});
  const auto table = std::ranges::find(t.experiments, "optimizers", &Experiment::name);
  REQUIRE(table != t.experiments.end());
  for (const auto& [row, optimizer] :
       {std::pair(0, Optimizer::sgd), std::pair(1, Optimizer::adam), std::pair(2, Optimizer::adamw)}) {
    InputOptions options;
    options.optimizer = optimizer;
    const Trace own = training_step(options);
    INFO(table->rows[static_cast<std::size_t>(row)]);
    double squares = 0, largest = 0;
    for (const std::string name : {"W_Q", "W_K", "W_V", "W_O"})
      for (std::size_t i = 0; i < own[name].size(); ++i) {
        const double change = own[name + "_after"].data[i] - own[name].data[i];
        squares += change * change, largest = std::max(largest, std::abs(change));
      }
    const auto cell = [&, at = static_cast<std::size_t>(row)](std::size_t column) {
      return table->values.at({at, column});
    };
    CHECK(cell(0) == Approx(own["loss_after"].data[0]).epsilon(1e-12));
    CHECK(cell(0) != Approx(own["loss"].data[0]));
    CHECK(cell(1) == Approx(std::sqrt(squares)).epsilon(1e-12));
    CHECK(cell(2) == Approx(largest).epsilon(1e-12));
  }
}
