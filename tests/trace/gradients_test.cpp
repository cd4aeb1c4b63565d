// Gradients: the page's formulas against central differences on random shapes, the steps back of every lesson
// against PyTorch's autograd and against the lesson's own function on a moved input, and one by hand.

#include "core/error.hpp"
#include "lessons/run.hpp"
#include "page/backward.hpp"
#include "support/catch.hpp"
#include "support/lesson_trace.hpp"
#include "support/random_input.hpp"
#include "support/reference.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

using namespace tfx;
using arma::mat;
using arma::rowvec;

namespace {

// ∂/∂X of the sum of weights ⊙ f(X), cell by cell.
mat measured(const mat& X, const mat& weights, const std::function<mat(const mat&)>& f) {
  constexpr double h = 1e-5;
  mat d(arma::size(X));
  for (arma::uword i = 0; i < X.n_elem; ++i) {
    mat up = X, down = X;
    up(i) += h, down(i) -= h;
    d(i) = (arma::accu(weights % f(up)) - arma::accu(weights % f(down))) / (2 * h);
  }
  return d;
}

double apart(const mat& a, const mat& b) {
  REQUIRE(arma::size(a) == arma::size(b));
  return mat(arma::abs(a - b) / arma::clamp(arma::abs(b), 1, arma::datum::inf)).max();
}

constexpr int cases = 60;
constexpr double limit = 1e-6; // of central differences

Trace run_with_gradients(const std::string& lesson, const std::string& tutorial) {
  InputOptions options;
  options.tutorial = tutorial;
  options.grad = true;
  return run_lesson(find_lesson(lesson), options).trace;
}

} // namespace

TEST_CASE("a product's gradients are its differences", "[trace][gradients]") {
  for (std::uint32_t seed = 0; seed < cases; ++seed) {
    RandomInput random(seed);
    const arma::uword n = random.size(1, 6), d_in = random.size(1, 6), d_out = random.size(1, 6);
    const mat X = random.matrix(n, d_in), W = random.matrix(d_in, d_out), dY = random.matrix(n, d_out);
    const rowvec b = random.matrix(1, d_out);
    const page::ProductGradients d = page::product_backward(X, W, dY);
    CHECK(apart(d.dX, measured(X, dY, [&](const mat& x) { return page::project(x, W, b); })) < limit);
    CHECK(apart(d.dW, measured(W, dY, [&](const mat& w) { return page::project(X, w, b); })) < limit);
    CHECK(apart(d.db, measured(b, dY, [&](const mat& c) { return page::project(X, W, c); })) < limit);
  }
}

TEST_CASE("softmax, log-softmax and entropy: gradients are differences", "[trace][gradients]") {
  for (std::uint32_t seed = 0; seed < cases; ++seed) {
    RandomInput random(seed);
    const arma::uword n = random.size(1, 6), m = random.size(1, 8);
    const mat S = random.matrix(n, m), d = random.matrix(n, m), dH = random.matrix(n, 1);
    const mat A = page::softmax(S).weights;
    CHECK(apart(page::softmax_backward(d, A),
                measured(S, d, [](const mat& s) { return page::softmax(s).weights; })) < limit);
    CHECK(apart(page::log_softmax_backward(d, page::log_softmax(S)), measured(S, d, page::log_softmax)) <
          limit);
    const mat P = arma::clamp(A, 0.01, 1); // −ln w bends without end towards 0
    CHECK(apart(page::entropy_backward(dH.col(0), P),
                measured(P, dH, [](const mat& w) { return mat(page::entropy(w)); })) < limit);
  }
}

TEST_CASE("the attention's gradients are its differences, under a mask too", "[trace][gradients]") {
  for (std::uint32_t seed = 0; seed < cases; ++seed) {
    RandomInput random(seed);
    const arma::uword n_q = random.size(1, 5), n_k = random.size(1, 5), d_k = random.size(1, 5),
                      d_v = random.size(1, 5);
    const mat Q = random.matrix(n_q, d_k, 1.5), K = random.matrix(n_k, d_k, 1.5), V = random.matrix(n_k, d_v),
              mask = random.mask(n_q, n_k), dO = random.matrix(n_q, d_v);
    const auto d = page::attention_backward(Q, K, V, mask, page::attention(Q, K, V, mask), dO);
    CHECK(apart(d.dQ, measured(Q, dO, [&](const mat& q) { return page::attention(q, K, V, mask).output; })) <
          limit);
    CHECK(apart(d.dK, measured(K, dO, [&](const mat& k) { return page::attention(Q, k, V, mask).output; })) <
          limit);
    CHECK(apart(d.dV, measured(V, dO, [&](const mat& v) { return page::attention(Q, K, v, mask).output; })) <
          limit);
    const mat blocked = d.dscaled.elem(arma::find(mask == 0));
    CHECK(arma::accu(blocked != 0) == 0);
    // A bias of the keys moves nothing: softmax does not see what is added to a whole row.
    CHECK(arma::abs(arma::sum(d.dK, 0)).max() < 1e-12);
  }
}

TEST_CASE("both kinds of LayerNorm: gradients are differences", "[trace][gradients]") {
  for (std::uint32_t seed = 0; seed < cases; ++seed)
    for (const Norm rule : {Norm::annotated, Norm::layer}) {
      RandomInput random(seed);
      const arma::uword n = random.size(1, 5), d = random.size(3, 8);
      const mat X = random.matrix(n, d), dY = random.matrix(n, d);
      const rowvec gamma = random.matrix(1, d), shift = random.matrix(1, d);
      const page::LayerNorm norm = page::layer_norm(X, gamma, shift, rule);
      const page::LayerNormGradients g = page::layer_norm_backward(dY, norm, gamma, rule);
      const auto output = [&](const mat& x, const mat& a, const mat& b) {
        return page::layer_norm(x, a, b, rule).output;
      };
      CHECK(apart(g.dX, measured(X, dY, [&](const mat& x) { return output(x, gamma, shift); })) < limit);
      CHECK(apart(g.dgamma, measured(gamma, dY, [&](const mat& a) { return output(X, a, shift); })) < limit);
      CHECK(apart(g.dbeta, measured(shift, dY, [&](const mat& b) { return output(X, gamma, b); })) < limit);
      // The parts, one after the other, are the same as all at once.
      const mat dN = dY.each_row() % gamma;
      const arma::vec dD = page::divisor_backward(dN, norm.normalized, norm.divisor);
      mat dC = dN.each_col() / norm.divisor;
      mat parts = dC.each_col() - arma::mean(dC, 1).eval();
      if (rule == Norm::annotated)
        parts += page::std_backward(dD, X, norm.spread);
      else
        parts += page::variance_backward(page::sqrt_backward(dD, norm.divisor), X);
      CHECK(apart(parts, g.dX) < 1e-11);
    }
}

TEST_CASE("cross-entropy with smoothed labels: gradients are differences", "[trace][gradients]") {
  for (std::uint32_t seed = 0; seed < cases; ++seed) {
    RandomInput random(seed);
    const arma::uword n = random.size(1, 6), V = random.size(3, 9), pad = random.size(0, V - 1);
    arma::uvec labels(n);
    for (arma::uword& label : labels) label = random.size(0, V - 1);
    const double smoothing = random.coin() ? 0 : 0.1 * static_cast<double>(random.size(1, 9));
    const double tokens = std::max(1.0, static_cast<double>(arma::accu(labels != pad)));
    const mat logits = random.matrix(n, V), target = page::smoothed_target(labels, V, smoothing, pad);
    const auto loss = [&](const mat& x) {
      return mat(1, 1, arma::fill::value(page::divergence(page::log_softmax(x), target, tokens)));
    };
    const mat dL = page::divergence_backward(target, tokens), L = page::log_softmax(logits);
    CHECK(apart(page::log_softmax_backward(dL, L), measured(logits, mat(1, 1, arma::fill::ones), loss)) <
          limit);
    for (arma::uword i = 0; i < n; ++i) {
      CHECK(arma::accu(target.row(i)) == Approx(labels(i) == pad ? 0 : 1).margin(1e-14));
      CHECK(target(i, pad) == 0);
    }
  }
}

TEST_CASE("by hand: two words, one query", "[trace][gradients]") {
  // weights (1/4, 3/4), dweights (1, 2): their mean by weight is 7/4, so dS = (1/4·(1 − 7/4), 3/4·(2 − 7/4)).
  const mat dS = page::softmax_backward(mat{{1, 2}}, mat{{0.25, 0.75}});
  CHECK(dS(0, 0) == -0.1875);
  CHECK(dS(0, 1) == 0.1875);
  // V = 4, ε = 0.5, padding 0, label 2: half on the label, a quarter on each of the two others.
  CHECK(arma::approx_equal(page::smoothed_target({2, 0}, 4, 0.5, 0), mat{{0, 0.25, 0.5, 0.25}, {0, 0, 0, 0}},
                           "absdiff", 0));
  // Equal logits: every word has 1/4, and each logit should move by 1/4 less its target, over one token.
  const mat target = page::smoothed_target({2}, 4, 0.5, 0),
            L = page::log_softmax(mat(1, 4, arma::fill::zeros));
  const mat d = page::log_softmax_backward(page::divergence_backward(target, 1), L);
  CHECK(arma::approx_equal(d, mat{{0.25, 0, -0.25, 0}}, "absdiff", 1e-15));
  // Half on one word and a quarter on two have an entropy of 3/2·ln 2; the divergence is what is missing to
  // ln 4.
  CHECK(page::divergence(L, target, 1) == Approx(std::log(4.0) - 1.5 * std::log(2.0)).epsilon(1e-14));
  CHECK(page::divergence(L, page::smoothed_target({2}, 4, 0, 0), 1) == Approx(std::log(4.0)).epsilon(1e-14));
}

TEST_CASE("every lesson's gradients equal PyTorch's", "[trace][gradients]") {
  const std::vector<std::pair<std::string, std::string>> runs = {{"lookup", "happy-llm:1"},
                                                                 {"words", "fun-transformer:1"},
                                                                 {"qkv", "fun-transformer:1"},
                                                                 {"scores", "fun-transformer:1"},
                                                                 {"softmax", "fun-transformer:1"},
                                                                 {"attention", "fun-transformer:1"},
                                                                 {"sdpa", "scaled-dot-product:1"},
                                                                 {"masked", "happy-llm:2"},
                                                                 {"multihead", "happy-llm:2"},
                                                                 {"multihead", "fun-transformer:2"},
                                                                 {"multihead", "attention-block:1"},
                                                                 {"cross", "happy-llm:3"},
                                                                 {"embed", "annotated:2"},
                                                                 {"block", "annotated:3"},
                                                                 {"loss", "happy-llm:4"}};
  std::map<std::string, std::size_t> compared;
  for (const auto& [lesson, tutorial] : runs) {
    const Reference reference(tutorial);
    const Trace trace = run_with_gradients(lesson, tutorial);
    for (const Step& step : trace.steps) {
      const Tensor* expected = reference.find(lesson + "." + step.name);
      if (step.role != Role::gradient || !expected) continue;
      INFO(lesson << ", " << tutorial << ": " << step.name);
      REQUIRE(step.value.shape == expected->shape);
      double worst = 0;
      for (std::size_t i = 0; i < step.value.size(); ++i)
        worst = std::max(worst, std::abs(step.value.data[i] - expected->data[i]) /
                                    std::max(1.0, std::abs(expected->data[i])));
      CHECK(worst <= 1e-12);
      ++compared[lesson];
    }
  }
  const std::map<std::string, std::size_t> least = {
      {"lookup", 6},     {"words", 2},  {"qkv", 7},     {"scores", 6},     {"softmax", 9},
      {"attention", 11}, {"sdpa", 7},   {"masked", 12}, {"multihead", 50}, {"cross", 12},
      {"embed", 4},      {"block", 40}, {"loss", 15}};
  for (const auto& [lesson, count] : least) {
    INFO(lesson << ": " << compared[lesson]);
    CHECK(compared[lesson] >= count);
  }
}

TEST_CASE("gradients foretell what the lesson's own function does", "[trace][gradients]") {
  struct Case {
    const char *lesson, *output;
  };
  for (const Case& one : {Case{"scores", "scores"}, Case{"sdpa", "output"}, Case{"masked", "output"},
                          Case{"multihead", "output"}, Case{"cross", "output"}, Case{"block", "output"},
                          Case{"loss", "loss"}}) {
    const Lesson& lesson = find_lesson(one.lesson);
    InputOptions options;
    options.batch = 2, options.n_q = 3, options.d_model = 4, options.seed = 5, options.grad = true;
    if (std::string(one.lesson) == "multihead" || std::string(one.lesson) == "block") options.heads = 2;
    if (std::string(one.lesson) == "sdpa" || std::string(one.lesson) == "masked") options.causal = true;
    const Trace trace = run_lesson(lesson, options).trace;
    const LessonInput input = resolve_input(options, lesson);
    const auto L = [&](const std::string& name, std::size_t cell, double by) {
      LessonInput moved = input;
      for (Step& step : moved.given.steps)
        if (step.name == name) step.value.data[cell] += by;
      return arma::mean(arma::vec(lesson.run(moved)[one.output].data));
    };
    for (const Step& step : input.given.steps) {
      if (!trace.has("d" + step.name)) continue;
      const Tensor& gradient = trace["d" + step.name];
      for (std::size_t cell = 0; cell < gradient.size(); cell += 1 + gradient.size() / 3) {
        INFO(one.lesson << ": " << step.name << ", cell " << cell);
        constexpr double h = 1e-5;
        const double slope = (L(step.name, cell, h) - L(step.name, cell, -h)) / (2 * h);
        CHECK(std::abs(gradient.data[cell] - slope) <= limit * std::max(1.0, std::abs(slope)));
      }
    }
  }
}

TEST_CASE("attention-block's loss lacks the maximum", "[trace][gradients]") {
  const Trace trace = run_with_gradients("loss", "attention-block");
  CHECK(trace.tutorial == "attention-block:3");
  CHECK(trace["loss"].data[0] == Approx(9.35).margin(0.005));
  CHECK(number_of(trace, "wrong_loss") == Approx(5.71).margin(0.005)); // what the tutorial prints
  CHECK(number_of(trace, "wrong_sum") == Approx(38.5).margin(0.05));
  CHECK_FALSE(trace.has("dX")); // nothing made the logits
}

TEST_CASE("a wrong gradient of the right shape is told from the right one", "[trace][gradients]") {
  const Trace trace = run_with_gradients("loss", "happy-llm:4");
  const auto found = std::ranges::find(trace.experiments, "wrong_gradients", &Experiment::name);
  REQUIRE(found != trace.experiments.end());
  const Experiment& table = *found;
  CHECK(table.rows.size() == 3);
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    INFO(table.rows[row]);
    CHECK(table.values.at({row, 0}) > 0);
    CHECK(table.values.at({row, 1}) > 1e-3);
    CHECK(table.values.at({row, 2}) < 1e-8);
  }
}

TEST_CASE("what has no gradient is refused or skipped", "[trace][gradients]") {
  InputOptions blocked;
  blocked.text = "a b c", blocked.pad = 3, blocked.grad = true, blocked.masked_row = FullyMaskedRow::nan;
  try {
    run_lesson(find_lesson("attention"), blocked);
    FAIL("NaN got a gradient");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::bad_data);
    CHECK(std::string(error.what()) == "mean is nan: it has no gradient");
  }
  // The hard look-up: its gradient is 0 wherever it has one, so no step back goes through it.
  const Trace lookup = run_with_gradients("lookup", "happy-llm:1");
  CHECK_FALSE(lookup.has("dhard"));
  CHECK_FALSE(lookup.has("dhard_output"));
  // Weights of 0 have no central difference in an entropy.
  InputOptions masked;
  masked.causal = true, masked.grad = true;
  const Trace softmax = run_lesson(find_lesson("softmax"), masked).trace;
  for (const GradientCheck& check : softmax.gradients) {
    INFO(check.gradient);
    CHECK(check.tried + check.skipped == softmax[check.of].size());
    CHECK((check.skipped > 0) == (check.of == "weights" || check.of == "exponentials"));
  }
}

TEST_CASE("on many words differences are taken of a few tensors, those that were given",
          "[trace][gradients]") {
  InputOptions many;
  many.grad = true, many.n_q = 1500, many.n_k = 1500;
  const Trace sdpa = run_lesson(find_lesson("sdpa"), many).trace;
  std::vector<std::string> tried;
  for (const GradientCheck& check : sdpa.gradients) {
    CHECK(check.tried <= 1);
    if (check.tried > 0) tried.push_back(check.of);
  }
  CHECK(tried.size() < 8);
  REQUIRE_FALSE(tried.empty());
  CHECK(tried.back() == sdpa.gradients.back().of);
}

TEST_CASE("labels that do not fit are refused", "[trace][gradients]") {
  const auto refusal = [](const std::function<void(InputOptions&)>& change) {
    InputOptions options;
    change(options);
    try {
      run_lesson(find_lesson("loss"), options);
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::usage);
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  CHECK(refusal([](InputOptions& o) {
          o.labels = {{1, 2}};
        }) == "--labels has 2 numbers in row 0, the input has 5 tokens");
  CHECK(refusal([](InputOptions& o) {
          o.labels = {{1, 2, 3, 4, 5}, {1, 2, 3, 4, 5}};
        }) == "--labels has 2 rows, the input has 1");
  CHECK(refusal([](InputOptions& o) {
          o.labels = {{1, 2, 6, 4, 5}};
        }) == "--labels: label 6 (token 2) is outside the vocabulary, which has numbers 0 to 5");
  CHECK(refusal([](InputOptions& o) {
          o.labels = {{0, 0, 0, 0, 0}};
        }) == "every label is the padding: there is nothing to predict");
  CHECK(refusal([](InputOptions& o) { o.pad_id = 6; }) ==
        "--pad-id 6 is outside the vocabulary, which has numbers 0 to 5");
  CHECK(refusal([](InputOptions& o) { o.logits = "logits.npy"; }) == "--logits needs --labels");
  CHECK(refusal([](InputOptions& o) {
          o.logits = "logits.npy", o.text = "a b";
        }).starts_with("--logits gives what the loss is taken of"));
}
