// Backward of each kernel: worked by hand, and against central differences on random shapes.

#include "kernels/activation.hpp"
#include "kernels/adam.hpp"
#include "kernels/attention.hpp"
#include "kernels/cross_entropy.hpp"
#include "kernels/elementwise.hpp"
#include "kernels/layer_norm.hpp"
#include "kernels/softmax.hpp"
#include "random/stream.hpp"
#include "support/catch.hpp"
#include "support/engine.hpp"
#include "support/slopes.hpp"

#include <limits>

using namespace tfx;

namespace {

arma::mat column(std::initializer_list<double> cells) {
  return arma::vec(cells);
}

} // namespace

TEST_CASE("softmax backward by hand: what raises one weight lowers the others", "[kernels][gradient]") {
  // Weights 1/4, 3/4 and dy = 1, 0: the mean is 1/4, so dx = 1/4·(1 − 1/4) and 3/4·(0 − 1/4).
  arma::mat d = column({1, 0});
  const arma::mat weights = column({0.25, 0.75});
  softmax_backward<double>(view(d), view(weights));
  CHECK(d(0) == 0.1875);
  CHECK(d(1) == -0.1875);
  // A hidden cell has weight 0; what stands beside it does not matter, be it NaN.
  arma::mat hidden = column({1, std::numeric_limits<double>::quiet_NaN(), 0});
  const arma::mat three = column({0.25, 0, 0.75});
  softmax_backward<double>(view(hidden), view(three));
  CHECK(hidden(0) == 0.1875);
  CHECK(hidden(1) == 0);
}

TEST_CASE("softmax backward is the slope of softmax", "[kernels][gradient]") {
  for (std::uint32_t seed = 0; seed < 30; ++seed) {
    RandomInput random(seed);
    const std::size_t rows = random.size(1, 9), cols = random.size(1, 6);
    arma::mat x = random.matrix(rows, cols), weights = x;
    const arma::mat R = random.matrix(rows, cols);
    const AttentionMask visible{nullptr, random.coin() ? Mask::causal : Mask::none, random.size(0, 2),
                                random.coin() ? 0 : random.size(1, 4)};
    softmax(view(weights), visible);
    arma::mat d = R;
    softmax_backward<double>(view(d), view(weights));
    CHECK(worst_slope(x, d, [&] {
            arma::mat y = x;
            softmax(view(y), visible);
            return arma::accu(R % y);
          }) <= slope_bound);
  }
}

TEST_CASE("the backward pass of every norm is its slope, with gain and shift or without",
          "[kernels][gradient]") {
  for_each_isa([] {
    for (std::uint32_t seed = 0; seed < 60; ++seed) {
      RandomInput random(seed);
      constexpr Norm norms[] = {Norm::annotated, Norm::layer, Norm::rms};
      const NormRule rule{norms[seed % 3], seed % 2 ? 1e-5 : 0.3};
      const std::size_t d = random.size(2, 9), n = random.size(1, 5);
      arma::mat x = random.matrix(d, n), gamma = random.matrix(d, 1), beta = random.matrix(d, 1);
      const arma::mat R = random.matrix(d, n);
      const bool gain = random.coin(), shift = random.coin();
      const auto loss = [&] {
        arma::mat y(d, n);
        layer_norm<double>(view(y), view(x),
                           {gain ? gamma.memptr() : nullptr, shift ? beta.memptr() : nullptr}, rule);
        return arma::accu(R % y);
      };
      arma::mat dx(d, n, arma::fill::zeros), d_gamma(d, 1, arma::fill::zeros),
          d_beta(d, 1, arma::fill::zeros);
      layer_norm_backward<double>(view(dx),
                                  {gain ? d_gamma.memptr() : nullptr, shift ? d_beta.memptr() : nullptr},
                                  view(R), view(x), gain ? gamma.memptr() : nullptr, rule);
      INFO("seed " << seed);
      CHECK(worst_slope(x, dx, loss) <= slope_bound);
      CHECK(worst_slope(gamma, d_gamma, loss) <= slope_bound);
      CHECK(worst_slope(beta, d_beta, loss) <= slope_bound);
    }
  });
}

TEST_CASE("layer norm backward by hand, and of a token without spread", "[kernels][gradient]") {
  // x = (1, 3): mean 2, c = (−1, 1), s = √2, D = √2 + 1e-6; dy = (1, 0), γ = 1: g − mean(g) = (½, −½),
  // Σ(g·c) = −1, so dx = (½/D − 1/(D²·√2), −½/D + 1/(D²·√2)).
  const double D = std::sqrt(2.0) + 1e-6;
  const arma::mat x = column({1, 3}), dy = column({1, 0});
  const double ones[] = {1, 1};
  arma::mat dx(2, 1, arma::fill::ones); // what the residual carries past stays
  double d_gamma[] = {5, 5}, d_beta[] = {5, 5};
  layer_norm_backward<double>(view(dx), {d_gamma, d_beta}, view(dy), view(x), ones,
                              NormRule{Norm::annotated});
  CHECK(std::abs(dx(0) - (1 + 0.5 / D - 1 / (D * D * std::sqrt(2.0)))) <= 1e-12);
  CHECK(std::abs(dx(0) + dx(1) - 2) <= 1e-12);
  CHECK(std::abs(d_gamma[0] - (5 - 1 / D)) <= 1e-12);
  CHECK((d_gamma[1] == 5 && d_beta[0] == 6 && d_beta[1] == 5));
  const arma::mat flat(2, 1, arma::fill::ones);
  for (const Norm rule : {Norm::annotated, Norm::layer}) {
    layer_norm_backward<double>(view(dx), {d_gamma, d_beta}, view(dy), view(flat), ones, NormRule{rule});
    CHECK(dx.is_finite());
  }
}

TEST_CASE("the slopes of the activations", "[kernels][gradient]") {
  for (const Activation activation : {Activation::relu, Activation::squared_relu, Activation::gelu,
                                      Activation::gelu_tanh, Activation::silu}) {
    RandomInput random(8);
    arma::mat x = random.matrix(7, 30), R = random.matrix(7, 30), d = R;
    activate_backward<double>(view(d), view(x), activation);
    CHECK(worst_slope(x, d, [&] {
            arma::mat y = x;
            activate<double>(view(y), view(y), activation);
            return arma::accu(R % y);
          }) <= slope_bound);
  }
}

TEST_CASE("attention backward is the slope of attention, whatever tile, mask and dropout",
          "[kernels][gradient]") {
  for_each_isa([] {
    for (std::uint32_t seed = 0; seed < 40; ++seed) {
      RandomInput random(seed);
      const std::size_t max_size = seed % 4 == 0 ? 20 : 7;
      const std::size_t d_k = random.size(1, max_size), d_v = random.size(1, max_size),
                        n_k = random.size(1, max_size), n_q = random.size(1, max_size);
      arma::mat q = random.matrix(d_k, n_q, 1), k = random.matrix(d_k, n_k, 1),
                v = random.matrix(d_v, n_k, 1);
      const arma::mat R = random.matrix(d_v, n_q);
      std::vector<std::uint8_t> valid(n_k);
      for (auto& key : valid) key = random.size(0, 3) > 0;
      const AttentionMask visible{random.coin() ? valid.data() : nullptr,
                                  random.coin() ? Mask::causal : Mask::none, random.size(0, 3),
                                  random.coin() ? 0 : random.size(1, 6)};
      const RandomStream stream(seed, 1, 2);
      const WeightDropout dropout{random.coin() ? 0.4 : 0, [&](auto... range) { stream.draw(range...); }, 5};
      const HeadInputs<double> inputs{view(std::as_const(q)), view(std::as_const(k)), view(std::as_const(v)),
                                      visible};
      arma::mat dq(d_k, n_q), dk(d_k, n_k, arma::fill::zeros), dv(d_v, n_k, arma::fill::zeros);
      attention_backward<double>({view(dq), view(dk), view(dv)}, view(R), inputs, dropout);
      const auto loss = [&] {
        arma::mat out(d_v, n_q);
        attention<double>(view(out), inputs, dropout);
        return arma::accu(R % out);
      };
      INFO("seed " << seed);
      CHECK(worst_slope(q, dq, loss) <= slope_bound);
      CHECK(worst_slope(k, dk, loss) <= slope_bound);
      CHECK(worst_slope(v, dv, loss) <= slope_bound);
    }
  });
}

TEST_CASE("several heads of queries add to the gradients of the keys that they share",
          "[kernels][gradient]") {
  // Queries and keys of 0: each of 2 keys weighs ½ for each of 3 queries a head. With d_out = 1 a head gives
  // a value the gradient 3·½; dS = ½·(1 − 1) = 0.
  const arma::mat q(1, 3, arma::fill::zeros), k(1, 2, arma::fill::zeros), v(1, 2, arma::fill::ones),
      d_out(1, 3, arma::fill::ones);
  for_each_isa([&] {
    arma::mat dq(1, 3), dk(1, 2, arma::fill::zeros), dv(1, 2, arma::fill::zeros);
    for (int head = 0; head < 4; ++head)
      attention_backward<double>({view(dq), view(dk), view(dv)}, view(d_out), {view(q), view(k), view(v)});
    CHECK(worst_difference(dv, arma::mat(1, 2, arma::fill::value(6))) <= 1e-15);
    CHECK(worst_difference(dk, arma::mat(1, 2, arma::fill::zeros)) <= 1e-15);
    CHECK(worst_difference(dq, arma::mat(1, 3, arma::fill::zeros)) <= 1e-15);
    // Two heads against central differences.
    RandomInput random(2);
    arma::mat queries = random.matrix(3, 10), keys = random.matrix(3, 5), values = random.matrix(4, 5);
    const arma::mat R = random.matrix(4, 10);
    const auto of_head = [&](std::size_t head) {
      return HeadInputs<double>{view(std::as_const(queries)).columns(5 * head, 5), view(std::as_const(keys)),
                                view(std::as_const(values)), AttentionMask{nullptr, Mask::causal, 0, 3}};
    };
    arma::mat d_queries(3, 10), d_keys(3, 5, arma::fill::zeros), d_values(4, 5, arma::fill::zeros);
    for (const std::size_t head : {0, 1})
      attention_backward<double>({view(d_queries).columns(5 * head, 5), view(d_keys), view(d_values)},
                                 view(R).columns(5 * head, 5), of_head(head));
    const auto loss = [&] {
      arma::mat out(4, 10);
      for (const std::size_t head : {0, 1}) attention<double>(view(out).columns(5 * head, 5), of_head(head));
      return arma::accu(R % out);
    };
    CHECK(worst_slope(queries, d_queries, loss) <= slope_bound);
    CHECK(worst_slope(keys, d_keys, loss) <= slope_bound);
    CHECK(worst_slope(values, d_values, loss) <= slope_bound);
  });
}

TEMPLATE_TEST_CASE("attention backward equals the chain rule in matrices, at every edge of its panels",
                   "[kernels][gradient]", float, double) {
  for_each_isa([] {
    for (std::uint32_t seed = 0; seed < 30; ++seed) {
      RandomInput random(seed);
      const std::size_t edges[] = {1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 65, 127, 128, 129};
      const std::size_t n_q = edges[random.size(0, 13)], n_k = edges[random.size(0, 13)],
                        d = edges[random.size(0, 10)];
      using Mat = arma::Mat<TestType>;
      const Mat q = random_matrix<TestType>(random, d, n_q, 1),
                k = random_matrix<TestType>(random, d, n_k, 1),
                v = random_matrix<TestType>(random, d, n_k, 1),
                R = random_matrix<TestType>(random, d, n_q, 1);
      const AttentionMask visible{nullptr, random.coin() ? Mask::causal : Mask::none, random.size(0, 9),
                                  random.coin() ? 0 : random.size(1, 80)};
      const RandomStream stream(seed, 1, 2);
      const WeightDropout dropout{random.coin() ? 0.4 : 0, [&](auto... range) { stream.draw(range...); }};
      const Mat dk_before = random_matrix<TestType>(random, d, n_k, 1),
                dv_before = random_matrix<TestType>(random, d, n_k, 1);
      Mat dq(d, n_q, arma::fill::value(7)), dk = dk_before, dv = dv_before;
      attention_backward<TestType>({view(dq), view(dk), view(dv)}, view(R),
                                   {view(q), view(k), view(v), visible}, dropout);
      arma::mat P(n_k, n_q);
      const arma::mat Q = arma::conv_to<arma::mat>::from(q), K = arma::conv_to<arma::mat>::from(k),
                      V = arma::conv_to<arma::mat>::from(v), dO = arma::conv_to<arma::mat>::from(R);
      arma::mat out(d, n_q);
      recorded_attention<double>(view(out), {view(Q), view(K), view(V), visible}, {{}, view(P)});
      arma::mat kept(n_k, n_q, arma::fill::ones); // 0, or what a weight that stays is multiplied by
      if (dropout.rate > 0) drop(view(kept), dropout.rate, dropout.draw);
      const arma::mat dP = kept % (V.t() * dO),
                      root = arma::mat(1, 1, arma::fill::value(std::sqrt(double(d))));
      const arma::mat dS = P % (dP.each_row() - arma::sum(P % dP, 0)) / root(0);
      INFO("seed " << seed << ", " << n_q << " queries, " << n_k << " keys, d " << d);
      CHECK(worst_difference(dq, arma::mat(K * dS)) <= kernel_bound<TestType>);
      CHECK(worst_difference(dk, arma::mat(dk_before + Q * dS.t())) <= kernel_bound<TestType>);
      CHECK(worst_difference(dv, arma::mat(dv_before + dO * (P % kept).t())) <= kernel_bound<TestType>);
    }
  });
}

TEST_CASE("the loss by hand, smoothed and not", "[kernels][gradient]") {
  // Equal logits over V = 4: p = ¼. Label 2, pad 0. Unsmoothed: loss ln 4, dx = p − onehot.
  double loss = 0;
  const std::uint32_t label = 2, pad = 0;
  arma::mat x(4, 1, arma::fill::zeros);
  cross_entropy(&loss, view(x), &label, {0, pad}, 1);
  CHECK(std::abs(loss - std::log(4.0)) <= 1e-15);
  CHECK(worst_difference(x, column({0.25, 0.25, -0.75, 0.25})) <= 1e-15);
  // ε = 0.2: t = (0, 0.1, 0.8, 0.1); KL = 0.8·ln 0.8 + 0.2·ln 0.1 + ln 4.
  x.zeros();
  cross_entropy(&loss, view(x), &label, {0.2, pad}, 0.5);
  CHECK(std::abs(loss - (0.8 * std::log(0.8) + 0.2 * std::log(0.1) + std::log(4.0))) <= 1e-14);
  CHECK(worst_difference(x, column({0.125, 0.075, -0.275, 0.075})) <= 1e-15);
  // A label that is padding counts nothing.
  x.ones();
  cross_entropy(&loss, view(x), &pad, {0.2, pad}, 1);
  CHECK(loss == 0);
  CHECK(arma::abs(x).max() == 0);
}

TEST_CASE("the gradient of the loss is its slope, and logits near ±1e300 stay finite",
          "[kernels][gradient]") {
  for (std::uint32_t seed = 0; seed < 30; ++seed) {
    RandomInput random(seed);
    const std::size_t vocab = random.size(3, 9), n = random.size(1, 5);
    arma::mat x = random.matrix(vocab, n);
    std::vector<std::uint32_t> labels(n);
    for (auto& label : labels) label = static_cast<std::uint32_t>(random.size(0, vocab - 1));
    // A padding token that is none of the vocabulary takes nothing of the target: Σt is more than 1 then.
    const Smoothing smoothing{random.coin() ? 0.1 : 0, random.coin() ? 0u : 99u};
    std::vector<double> losses(n);
    arma::mat d = x;
    cross_entropy(losses.data(), view(d), labels.data(), smoothing, 1);
    CHECK(worst_slope(x, d, [&] {
            arma::mat y = x;
            cross_entropy(losses.data(), view(y), labels.data(), smoothing, 1);
            double sum = 0;
            for (const double one : losses) sum += one;
            return sum;
          }) <= slope_bound);
  }
  arma::mat large = column({1e300, -1e300, 0});
  double loss = 0;
  const std::uint32_t label = 0;
  cross_entropy(&loss, view(large), &label, {0, 2}, 1);
  CHECK(loss == 0);
  CHECK(large.is_finite());
}

TEST_CASE("a step of Adam by hand", "[kernels]") {
  // m = 0.1·g, v = 0.02·g²; both corrected at t = 1 are g and g²: the step is lr·g/(|g| + ε).
  double p = 1, m = 0, v = 0;
  const double g = -4;
  AdamStep step;
  step.learning_rate = 0.5;
  adam<double>({&p, &m, &v, &g, 1}, step);
  CHECK(std::abs(p - 1.5) <= 1e-9);
  CHECK(std::abs(m + 0.4) <= 1e-15);
  CHECK(std::abs(v - 0.32) <= 1e-15);
  // Decay acts on the parameter, not on the gradient; clipping on the gradient.
  double q = 2, n = 0, w = 0;
  step.rule.decay = 0.1, step.gradient_factor = 0.25;
  adam<double>({&q, &n, &w, &g, 1}, step);
  CHECK(std::abs(q - (2 * 0.95 + 0.5)) <= 1e-8);
  CHECK(std::abs(n + 0.1) <= 1e-15);
}
