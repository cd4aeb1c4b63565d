// The vectorised functions, number by number against long double, over all exponents and for every
// instruction set of this CPU: the bounds that the kernels' heads state.

#include "kernels/activation.hpp"
#include "kernels/adam.hpp"
#include "kernels/softmax.hpp"
#include "support/catch.hpp"
#include "support/engine.hpp"

#include <bit>
#include <cmath>
#include <numbers>
#include <vector>

#define TFX_KERNEL "kernels/exponential.inc"
#include "kernels/simd/each_isa.inc"

using namespace tfx;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

/// Every `stride`th bit pattern of a float: both signs, all exponents, denormals, infinities, NaN.
std::vector<float> floats(std::uint32_t stride) {
  std::vector<float> all;
  for (std::uint64_t bits = 0; bits < 1ULL << 32; bits += stride)
    all.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  for (const float edge : {0.0F, -0.0F, 1.0F, -1.0F, infinity, -infinity, std::nanf("")}) all.push_back(edge);
  return all;
}

MatrixView<float> as_column(std::vector<float>& cells) {
  return {cells.data(), cells.size(), 1};
}

/// What is wrong by how much, and where it is worst.
struct WorstNumber {
  double error = 0;
  float at = 0;

  void take(float x, double one) {
    if (one > error || std::isnan(one)) error = std::isnan(one) ? HUGE_VAL : one, at = x;
  }
};

/// |y − expected| in units of `scale`, leaving out what is too small for a float to have all digits.
double error_of(float y, long double expected, long double scale, long double tiny = 1.2e-37L) {
  if (std::isnan(expected)) return std::isnan(y) ? 0 : HUGE_VAL;
  if (std::isinf(static_cast<float>(expected))) return y == static_cast<float>(expected) ? 0 : HUGE_VAL;
  return static_cast<double>(std::max(0.0L, std::abs(y - expected) - tiny) / std::max(scale, tiny));
}

long double lower(long double x) { // Φ
  return std::erfc(-x / std::numbers::sqrt2_v<long double>) / 2;
}
long double density(long double x) {
  return std::exp(-x * x / 2) * std::numbers::inv_sqrtpi_v<long double> / std::numbers::sqrt2_v<long double>;
}
long double doubled_tanh_argument(long double x) {
  return 2 * std::sqrt(2 / std::numbers::pi_v<long double>) * (x + 0.044715L * x * x * x);
}

} // namespace

TEST_CASE("the exponential over all floats: 1.2e-7", "[kernels][accuracy]") {
  std::vector<float> xs = floats(1 << 9); // 8 million
  xs.resize(xs.size() / 16 * 16);
  for_each_isa([&] {
    std::vector<float> ys = xs;
    TFX_CALL(exponentials_of, ys.data(), ys.size());
    WorstNumber worst;
    for (std::size_t i = 0; i < xs.size(); ++i) {
      const long double power = std::exp(std::min<long double>(xs[i], 88));
      if (xs[i] < -87.33F)
        worst.take(xs[i], ys[i] == 0 ? 0 : HUGE_VAL);
      else
        worst.take(xs[i], std::isnan(xs[i]) ? error_of(ys[i], xs[i], 1) : error_of(ys[i], power, power, 0));
    }
    INFO("worst at " << worst.at);
    CHECK(worst.error <= 1.2e-7);
  });
}

TEST_CASE("e to the x, as softmax takes it, over all floats: 2.5e-7", "[kernels][accuracy]") {
  const std::vector<float> xs = floats(1 << 11); // 2 million
  for_each_isa([&] {
    // Beside a 0, which stays the largest, the weights' ratio is e^x.
    std::vector<float> pairs;
    for (const float x : xs) pairs.push_back(x <= 0 ? x : -x), pairs.push_back(0);
    const MatrixView<float> view{pairs.data(), 2, xs.size()};
    softmax(view);
    WorstNumber worst;
    for (std::size_t i = 0; i < xs.size(); ++i) {
      const long double power = std::exp(-std::abs(static_cast<long double>(xs[i])));
      worst.take(xs[i], std::isnan(xs[i]) ? (std::isnan(view(0, i)) && std::isnan(view(1, i)) ? 0 : HUGE_VAL)
                                          : std::max(error_of(view(0, i), power / (1 + power), power),
                                                     error_of(view(1, i), 1 / (1 + power), 1)));
    }
    INFO("worst at " << worst.at);
    CHECK(worst.error <= 2.5e-7);
  });
}

TEST_CASE("GELU over all floats: 5e-7, far below zero too", "[kernels][accuracy]") {
  const std::vector<float> xs = floats(1 << 11);
  for_each_isa([&] {
    std::vector<float> ys = xs, slopes(xs.size(), 1);
    activate<float>(as_column(ys), as_column(ys), Activation::gelu);
    activate_backward<float>(as_column(slopes), {xs.data(), xs.size(), 1}, Activation::gelu);
    WorstNumber worst, worst_slope;
    for (std::size_t i = 0; i < xs.size(); ++i) {
      const long double x = xs[i];
      if (std::isinf(xs[i])) continue; // −∞·0
      worst.take(xs[i], error_of(ys[i], x * lower(x), std::abs(x * lower(x))));
      worst_slope.take(xs[i],
                       error_of(slopes[i], lower(x) + x * density(x), lower(x) + std::abs(x) * density(x)));
    }
    INFO("worst at " << worst.at << ", slope " << worst_slope.at);
    CHECK(worst.error <= 5e-7);
    CHECK(worst_slope.error <= 5e-7);
  });
}

TEST_CASE("GELU by tanh over all floats: 3e-7 times 1 + the argument", "[kernels][accuracy]") {
  const std::vector<float> xs = floats(1 << 11);
  for_each_isa([&] {
    std::vector<float> ys = xs, slopes(xs.size(), 1);
    activate<float>(as_column(ys), as_column(ys), Activation::gelu_tanh);
    activate_backward<float>(as_column(slopes), {xs.data(), xs.size(), 1}, Activation::gelu_tanh);
    WorstNumber worst, worst_slope;
    for (std::size_t i = 0; i < xs.size(); ++i) {
      if (std::isinf(xs[i])) continue;
      const long double x = xs[i], y = doubled_tanh_argument(x), share = 1 / (1 + std::exp(-y)),
                        change = 1 / (1 + std::exp(y)), condition = 1 + std::abs(y),
                        dy = 2 * std::sqrt(2 / std::numbers::pi_v<long double>) * (1 + 3 * 0.044715L * x * x),
                        bend = std::abs(x) > 100 ? 0 : x * share * change * dy;
      worst.take(xs[i], error_of(ys[i], x * share, std::abs(x * share) * condition));
      worst_slope.take(xs[i],
                       error_of(slopes[i], share + bend, (share + std::abs(bend)) * condition, 4e-36L));
    }
    INFO("worst at " << worst.at << ", slope " << worst_slope.at);
    CHECK(worst.error <= 3e-7);
    CHECK(worst_slope.error <= 3e-7);
  });
}

TEST_CASE("SiLU over all floats: 4e-7, far below zero too", "[kernels][accuracy]") {
  const std::vector<float> xs = floats(1 << 11);
  for_each_isa([&] {
    std::vector<float> ys = xs, slopes(xs.size(), 1);
    activate<float>(as_column(ys), as_column(ys), Activation::silu);
    activate_backward<float>(as_column(slopes), {xs.data(), xs.size(), 1}, Activation::silu);
    WorstNumber worst, worst_slope;
    for (std::size_t i = 0; i < xs.size(); ++i) {
      if (std::isinf(xs[i])) continue; // −∞·0
      const long double x = xs[i], share = 1 / (1 + std::exp(-x)), rest = 1 / (1 + std::exp(x)),
                        bend = std::abs(x) > 1000 ? 0 : x * share * rest;
      worst.take(xs[i], error_of(ys[i], x * share, std::abs(x * share), 2e-36L));
      worst_slope.take(xs[i], error_of(slopes[i], share + bend, share + std::abs(bend), 1e-35L));
    }
    INFO("worst at " << worst.at << ", slope " << worst_slope.at);
    CHECK(worst.error <= 4e-7);
    CHECK(worst_slope.error <= 4e-7);
  });
}

TEST_CASE("squared ReLU over all floats: one rounding, its slope none", "[kernels][accuracy]") {
  const std::vector<float> xs = floats(1 << 11);
  for_each_isa([&] {
    std::vector<float> ys = xs, slopes(xs.size(), 1);
    activate<float>(as_column(ys), as_column(ys), Activation::squared_relu);
    activate_backward<float>(as_column(slopes), {xs.data(), xs.size(), 1}, Activation::squared_relu);
    WorstNumber worst, worst_slope;
    for (std::size_t i = 0; i < xs.size(); ++i) {
      const long double above = xs[i] < 0 ? 0 : xs[i];
      worst.take(xs[i], error_of(ys[i], above * above, above * above));
      worst_slope.take(xs[i], error_of(slopes[i], 2 * above, 2 * above));
    }
    INFO("worst at " << worst.at << ", slope " << worst_slope.at);
    CHECK(worst.error <= 6e-8);
    CHECK(worst_slope.error == 0);
  });
}

TEST_CASE("the logarithm of a softmax over all floats", "[kernels][accuracy]") {
  const std::vector<float> xs = floats(1 << 12);
  for_each_isa([&] {
    std::vector<float> pairs;
    for (const float x : xs) pairs.push_back(x), pairs.push_back(0);
    const MatrixView<float> view{pairs.data(), 2, xs.size()};
    log_softmax<float>(view, view);
    WorstNumber worst;
    for (std::size_t i = 0; i < xs.size(); ++i) {
      const long double x = xs[i], max = std::max(x, 0.0L),
                        log_sum = max + std::log1p(std::exp(-std::abs(x)));
      if (xs[i] == infinity) continue; // ∞ − ∞
      for (const int row : {0, 1}) {
        const long double expected = (row == 0 ? x : 0) - log_sum;
        worst.take(xs[i], error_of(view(row, i), expected, std::max(1.0L, std::abs(expected))));
      }
    }
    INFO("worst at " << worst.at);
    CHECK(worst.error <= 3e-7);
  });
}

TEST_CASE("a step of Adam is the rule's, number by number: 1e-6 of what it adds", "[kernels][accuracy]") {
  for_each_isa([] {
    RandomInput random(5);
    AdamStep step;
    step.rule.decay = 0.1, step.learning_rate = 0.01, step.t = 7, step.gradient_factor = 0.5;
    std::vector<float> p, m, v, g;
    for (int i = 0; i < 100'003; ++i) {
      const double scale = std::exp(random.number(40)); // gradients from 1e-17 to 1e17
      p.push_back(static_cast<float>(random.number(2)));
      m.push_back(static_cast<float>(random.number(scale)));
      v.push_back(static_cast<float>(std::abs(random.number(scale)) * scale));
      g.push_back(static_cast<float>(random.number(scale)));
    }
    std::vector<float> p_new = p, m_new = m, v_new = v;
    adam<float>({p_new.data(), m_new.data(), v_new.data(), g.data(), g.size()}, step);
    WorstNumber worst;
    for (std::size_t i = 0; i < p.size(); ++i) {
      const long double d = g[i] * 0.5L, mean = 0.9L * m[i] + 0.1L * d, square = 0.98L * v[i] + 0.02L * d * d,
                        root = std::sqrt(square / (1 - std::pow(0.98L, 7.0L))) + 1e-9L,
                        rate = 0.01L / (1 - std::pow(0.9L, 7.0L)),
                        size = 0.9L * std::abs(m[i]) + 0.1L * std::abs(d);
      worst.take(g[i], error_of(m_new[i], mean, size));
      worst.take(g[i], error_of(v_new[i], square, square));
      worst.take(g[i], error_of(p_new[i], p[i] * (1 - 0.001L) - rate * mean / root,
                                std::abs(p[i]) + rate * size / root));
    }
    INFO("worst at " << worst.at);
    CHECK(worst.error <= 1e-6);
  });
}
