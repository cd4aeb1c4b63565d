// The numbers that the words of a page quote beside its tensors: each against a calculation by plain loops.

#include "core/error.hpp"
#include "lessons/attention/recurrence.hpp"
#include "lessons/run.hpp"
#include "random/numpy_rng.hpp"
#include "steps/loss_steps.hpp"
#include "support/catch.hpp"
#include "trace/explain.hpp"

#include <algorithm>
#include <cmath>

using namespace tfx;

namespace {

Trace run_of(const std::string& command, const InputOptions& options = {}) {
  return run_lesson(find_lesson(command), options).trace;
}

double fact(const Trace& t, const std::string& name) {
  INFO(t.lesson << " " << name);
  REQUIRE(t.facts.contains(name));
  return std::get<double>(t.facts.at(name));
}

// e^x / Σ e^x of a row, and its largest.
double largest_share(const std::vector<double>& row, double factor) {
  double sum = 0, largest = 0;
  for (const double x : row) sum += std::exp(factor * x), largest = std::max(largest, std::exp(factor * x));
  return largest / sum;
}

std::vector<double> row_of(const Tensor& tensor, std::size_t i) {
  const std::size_t n = tensor.shape.back();
  return {tensor.data.begin() + static_cast<std::ptrdiff_t>(i * n),
          tensor.data.begin() + static_cast<std::ptrdiff_t>((i + 1) * n)};
}

} // namespace

TEST_CASE("softmax says what a temperature of 3 and of a third make of a row's largest weight",
          "[lessons][facts]") {
  const Trace t = run_of("softmax");
  const auto& labels = t.step_named("weights").labels[0];
  const auto row = static_cast<std::size_t>(
      std::ranges::find(labels, std::get<std::string>(t.facts.at("row"))) - labels.begin());
  REQUIRE(row < labels.size());
  const std::vector<double> scaled = row_of(t["scaled"], row), scores = row_of(t["scores"], row);
  CHECK(fact(t, "largest") == Approx(largest_share(scaled, 1)).epsilon(1e-12));
  CHECK(fact(t, "largest_unscaled") == Approx(largest_share(scores, 1)).epsilon(1e-12));
  CHECK(fact(t, "largest_hot") == Approx(largest_share(scaled, 1.0 / 3)).epsilon(1e-12));
  CHECK(fact(t, "largest_cold") == Approx(largest_share(scaled, 3)).epsilon(1e-12));
  CHECK(fact(t, "largest_hot") < fact(t, "largest"));
}

TEST_CASE("softmax says what the scale does at the widest d_k of its sweep", "[lessons][facts]") {
  const Trace t = run_of("softmax");
  NumpyRandom random(42);
  double raw = 0, scaled = 0;
  constexpr std::size_t n = 8;
  for (const std::size_t d : {4, 16, 64, 256, 1024}) {
    const Tensor Q = random.randn({n, d}), K = random.randn({n, d});
    raw = scaled = 0;
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<double> scores;
      for (std::size_t j = 0; j < n; ++j) {
        double sum = 0;
        for (std::size_t k = 0; k < d; ++k) sum += Q.data[i * d + k] * K.data[j * d + k];
        scores.push_back(sum);
      }
      const double most = *std::ranges::max_element(scores);
      for (double& score : scores) score -= most;
      raw += largest_share(scores, 1) / n;
      scaled += largest_share(scores, 1 / std::sqrt(static_cast<double>(d))) / n;
    }
  }
  CHECK(std::get<std::string>(t.facts.at("widest")) == "d_k 1024");
  CHECK(fact(t, "widest_raw") == Approx(raw).epsilon(1e-9));
  CHECK(fact(t, "widest_scaled") == Approx(scaled).epsilon(1e-9));
}

TEST_CASE("scores are one bilinear form: x·W_Q·W_Kᵀ·xᵀ", "[lessons][facts]") {
  for (const std::uint32_t seed : {1u, 2u, 3u}) {
    InputOptions options;
    options.text = "a b c";
    options.d_model = 5;
    options.seed = seed;
    const Trace t = run_of("scores", options);
    CHECK(fact(t, "form_apart") < 1e-12);
    const arma::mat X = matrix(t["X"]), form = matrix(t["W_Q"]) * matrix(t["W_K"]).t();
    for (arma::uword i = 0; i < X.n_rows; ++i)
      for (arma::uword j = 0; j < X.n_rows; ++j) {
        double sum = 0;
        for (arma::uword a = 0; a < X.n_cols; ++a)
          for (arma::uword b = 0; b < X.n_cols; ++b) sum += X(i, a) * form(a, b) * X(j, b);
        CHECK(sum == Approx(matrix(t["scores"])(i, j)).margin(1e-10));
      }
  }
}

TEST_CASE("multihead says how far its first two heads look apart", "[lessons][facts]") {
  const Trace t = run_of("multihead");
  const Tensor& weights = t["weights"];
  const std::size_t cells = weights.shape[weights.rank() - 2] * weights.shape.back();
  double most = 0;
  for (std::size_t i = 0; i < cells; ++i)
    most = std::max(most, std::abs(weights.data[i] - weights.data[cells + i]));
  CHECK(most > 0);
  CHECK(fact(t, "heads_apart") == Approx(most).epsilon(1e-12));
  InputOptions single;
  single.text = "a b c";
  single.heads = 1;
  CHECK_FALSE(run_of("multihead", single).facts.contains("heads_apart"));
}

TEST_CASE("a position further is the same rotation of every pair, and the slowest wave has its length",
          "[lessons][facts]") {
  const Trace t = run_of("embed");
  const auto rotation = std::ranges::find(t.checks, "rotation", &Check::id);
  REQUIRE(rotation != t.checks.end());
  CHECK(rotation->pass);
  const auto d = static_cast<double>(t["position_vectors"].shape.back());
  // Vaswani et al. 2017, 3.5: wavelengths from 2π to 10000·2π.
  CHECK(fact(t, "slowest_wave") == std::round(2 * M_PI * std::pow(10000, (d - 2) / d)));
}

TEST_CASE("perplexity is e to the mean loss, and not said of smoothed labels", "[lessons][facts]") {
  const Trace t = run_of("loss");
  const Tensor &log_probs = t["log_probs"], &labels = t["labels"];
  const std::size_t vocabulary = log_probs.shape.back();
  double sum = 0, tokens = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels.data[i] == t["pad_id"].data[0]) continue;
    sum -= log_probs.data[i * vocabulary + static_cast<std::size_t>(labels.data[i])];
    ++tokens;
  }
  CHECK(fact(t, "perplexity") == Approx(std::exp(sum / tokens)).epsilon(1e-12));
  InputOptions smoothed;
  smoothed.smoothing = 0.1;
  CHECK_FALSE(run_of("loss", smoothed).facts.contains("perplexity"));
}

TEST_CASE("a recurrence is h_t = tanh(x_t·W_x + h_(t−1)·W_h), cell by cell", "[lessons][facts]") {
  NumpyRandom random(7);
  const arma::mat X = matrix(random.randn({5, 3})), W_x = matrix(random.randn({3, 4})),
                  W_h = matrix(random.randn({4, 4}));
  const arma::mat h = recurrence(X, W_x, W_h);
  REQUIRE(h.n_rows == 5);
  for (arma::uword t = 0; t < 5; ++t)
    for (arma::uword j = 0; j < 4; ++j) {
      double sum = 0;
      for (arma::uword k = 0; k < 3; ++k) sum += X(t, k) * W_x(k, j);
      for (arma::uword k = 0; t > 0 && k < 4; ++k) sum += h(t - 1, k) * W_h(k, j);
      CHECK(h(t, j) == Approx(std::tanh(sum)).epsilon(1e-12));
    }
}

TEST_CASE("what reaches the last output from k words back is the chain of Jacobians, or one attention",
          "[lessons][facts]") {
  const Reach reach = compare_with_recurrence();
  const arma::mat shown = matrix(reach.moves.values);
  NumpyRandom random(42);
  constexpr std::size_t d = 16, n = 33, draws = 8;
  const auto weight = [&] { return arma::mat(matrix(random.randn({d, d})) / 4); };
  arma::mat expected(shown.n_rows, 2, arma::fill::zeros);
  for (std::size_t draw = 0; draw < draws; ++draw) {
    const arma::mat X = matrix(random.randn({n, d}));
    const arma::rowvec direction = matrix(random.randn({1, d}));
    const arma::mat W_x = weight(), W_h = weight(), W_Q = weight(), W_K = weight(), W_V = weight();
    const arma::mat h = recurrence(X, W_x, W_h);
    const arma::rowvec q = X.row(n - 1) * W_Q;
    const arma::vec scores = X * W_K * q.t() / 4;
    const arma::vec p = arma::exp(scores) / arma::accu(arma::exp(scores));
    for (arma::uword i = 0; i < shown.n_rows; ++i) {
      const auto word = static_cast<arma::uword>(n - 1 - shown(i, 0));
      arma::rowvec change = direction * W_x; // d tanh(z) = (1 − tanh²)·dz
      for (arma::uword t = word;; ++t) {
        change %= 1 - arma::square(h.row(t));
        if (t == n - 1) break;
        change = change * W_h;
      }
      expected(i, 0) += arma::norm(change) / arma::norm(direction) / draws;
      // d(p·V) = p_j·dV_j + p_j·ds_j·(V_j − p·V)
      const double score = arma::dot(direction * W_K, q) / 4;
      const arma::rowvec mixed = p.t() * X * W_V;
      const arma::rowvec moved = p(word) * (direction * W_V + score * (X.row(word) * W_V - mixed));
      expected(i, 1) += arma::norm(moved) / arma::norm(direction) / draws;
    }
  }
  for (arma::uword i = 0; i < shown.n_rows; ++i) {
    CHECK(shown(i, 3) == Approx(expected(i, 0)).epsilon(1e-2).margin(1e-9));
    CHECK(shown(i, 4) == Approx(expected(i, 1)).epsilon(1e-3));
    CHECK(shown(i, 1) > 0); // fully connected: from everywhere
    CHECK((shown(i, 2) > 0) == (shown(i, 0) <= static_cast<double>(reach.convolution_reach)));
  }
}

TEST_CASE("padding is nobody's label, and without a causal mask the learner is told what is seen",
          "[lessons][facts]") {
  InputOptions options;
  options.text = "a b c d e";
  for (const std::size_t pad : {0, 1, 2, 3}) {
    options.pad = pad;
    const LessonRun run = run_lesson(find_lesson("loss"), options);
    // Of n tokens the last, and those before padding, have no next word.
    CHECK(fact(run.trace, "tokens") == static_cast<double>(4 - pad));
    CHECK(run.notes.size() == (pad > 0 ? 1 : 0));
  }
  options.causal = true;
  CHECK(run_lesson(find_lesson("loss"), options).notes.empty());
  options.pad = 4;
  CHECK_THROWS_AS(run_lesson(find_lesson("loss"), options), Error);
}

TEST_CASE("a lesson on vectors draws nothing where they are given, and refuses a seed", "[lessons][facts]") {
  InputOptions options;
  options.seed = 7;
  CHECK_THROWS_AS(run_of("words", options), Error);
  options.text = "a b";
  CHECK(run_of("words", options).has("dots"));
}

TEST_CASE("the formula of a cell names its batch or head in both factors", "[lessons][facts]") {
  const auto formula = [](const std::string& command, const std::string& tensor) {
    const Trace t = run_of(command);
    return explain(t, tensor, {1, 0, 0}, 0, 8, 4).formula;
  };
  CHECK(formula("sdpa", "output").ends_with("V[1, :, 0]"));
  CHECK(formula("multihead", "heads").ends_with("V_heads[1, :, 0]"));
  InputOptions batch; // a weight that every sentence shares has no axis of its own
  batch.batch = 2, batch.n_q = 3, batch.d_model = 4;
  CHECK(explain(run_of("multihead", batch), "Q", {1, 0, 0}, 0, 8, 4).formula.ends_with("W_Q[:, 0]"));
}

TEST_CASE("the picture of the loss has each label's probability, and costs whose mean is the loss",
          "[lessons][facts]") {
  for (const double smoothing : {0.0, 0.2}) {
    InputOptions options;
    options.smoothing = smoothing;
    const Trace t = run_of("loss", options);
    const std::vector<AskedPlace> places = asked_places(t);
    REQUIRE(places.size() == 4);
    double sum = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
      CHECK(places[i].p == Approx(t["probs"].at({i, static_cast<std::size_t>(t["labels"].data[i])})));
      if (smoothing == 0) CHECK(places[i].cost == Approx(-std::log(places[i].p)));
      sum += places[i].cost;
    }
    CHECK(sum / 4 == Approx(t["loss"].data[0]));
    CHECK(places[0].name == "<BOS> → I");
    REQUIRE(t.idea);
    CHECK(t.idea->rows.size() == places.size());
    CHECK(t.idea->rows[0].bars[0].stretches[0].share == Approx(places[0].p));
  }
}

TEST_CASE("the picture of a training step has the probabilities before it and after it", "[lessons][facts]") {
  const Trace t = run_of("train", {});
  const std::vector<AskedPlace> before = asked_places(t), after = asked_places(t, "_after");
  double rose = 0, sum = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    rose += after[i].p > before[i].p, sum += after[i].cost;
    CHECK(t.idea->rows[i].bars[0].stretches[0].share == Approx(before[i].p));
    CHECK(t.idea->rows[i].bars[1].stretches[0].share == Approx(after[i].p));
  }
  CHECK(std::get<double>(t.facts.at("places_risen")) == rose);
  CHECK(sum / static_cast<double>(after.size()) == Approx(t["loss_after"].data[0]));
}

TEST_CASE("the smoothed loss of a token is least, and 0, where its label has 1 − ε", "[lessons][facts]") {
  InputOptions options;
  options.smoothing = 0.2;
  const Trace t = run_of("loss", options);
  const auto table = std::ranges::find(t.experiments, "smoothing", &Experiment::name);
  REQUIRE(table != t.experiments.end());
  const double V = static_cast<double>(t["logits"].shape.back());
  const auto by_hand = [&](double p,
                           double epsilon) { // Σ target·ln(target/p) over the label and V − 2 others
    const double others = epsilon > 0 ? epsilon * std::log(epsilon / (1 - p)) : 0;
    return (1 - epsilon) * std::log((1 - epsilon) / p) + others;
  };
  REQUIRE(V > 3);
  REQUIRE(table->plots.size() == 2);
  const std::size_t first = table->plots[0].first;
  CHECK(first + table->plots[0].values.size() == 100);
  for (std::size_t percent = first; percent < 100; ++percent) {
    const double p = static_cast<double>(percent) / 100;
    CHECK(table->plots[0].values.at(percent - first) == Approx(-std::log(p)).margin(1e-14));
    CHECK(table->plots[1].values.at(percent - first) == Approx(by_hand(p, 0.2)).margin(1e-14));
  }
  const std::vector<double>& smoothed = table->plots[1].values;
  CHECK(std::ranges::min_element(smoothed) - smoothed.begin() == 80 - static_cast<long>(first));
  for (const auto& [row, p] : {std::pair(0, 0.1), {1, 0.5}, {3, 0.99}, {4, 0.999}}) {
    CHECK(table->values.at({static_cast<std::size_t>(row), 0}) == Approx(-std::log(p)));
    CHECK(table->values.at({static_cast<std::size_t>(row), 1}) == Approx(by_hand(p, 0.2)));
  }
  CHECK(table->values.at({2, 1}) == 0);
  CHECK(fact(t, "asked") == Approx(0.8));
}
