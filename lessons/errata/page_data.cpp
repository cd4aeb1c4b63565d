#include "lessons/errata/page_data.hpp"

#include "core/error.hpp"
#include "core/tensor.hpp"
#include "input/tutorials.hpp"
#include "ops/shape_rule.hpp"
#include "random/numpy_rng.hpp"

namespace tfx::errata {

using arma::mat;

LessonInput run_of(const std::string& name) {
  for (const Run& run : runs())
    if (run.name() == name) return run.make(42);
  throw defect("there is no run " + name);
}

const LessonInput& the_block() {
  static const LessonInput run = run_of("attention-block:2");
  return run;
}

mat given(const LessonInput& input, const std::string& name, std::size_t i) {
  return matrix(input.given[name], i);
}

mat projected(const LessonInput& input, const std::string& letter, std::size_t i) {
  const mat X = input.has("X") ? given(input, "X", i) : given(input, "X_" + letter, i);
  const mat XW = page::project(X, given(input, "W_" + letter));
  if (!input.has("b_" + letter)) return XW;
  return XW.each_row() + arma::rowvec(input.given["b_" + letter].data);
}

std::vector<page::Attention> heads_of(const LessonInput& input, const mat& mask, std::size_t i) {
  const auto split = [&](const char* letter) {
    return page::split_heads(projected(input, letter, i), input.heads);
  };
  const auto Q = split("Q"), K = split("K"), V = split("V");
  std::vector<page::Attention> heads;
  for (std::size_t h = 0; h < Q.size(); ++h) heads.push_back(page::attention(Q[h], K[h], V[h], mask));
  return heads;
}

page::Layer layer_of(const LessonInput& input) {
  const auto row = [&](const char* name) { return arma::rowvec(input.given[name].data); };
  page::Layer layer;
  layer.attention = {given(input, "W_Q"), given(input, "W_K"), given(input, "W_V"),
                     row("b_Q"),          row("b_K"),          row("b_V")};
  layer.W_O = given(input, "W_O"), layer.W_1 = given(input, "W_1"), layer.W_2 = given(input, "W_2");
  layer.b_O = row("b_O"), layer.b_1 = row("b_1"), layer.b_2 = row("b_2");
  layer.gamma_1 = row("gain_1"), layer.beta_1 = row("shift_1");
  layer.gamma_2 = row("gain_2"), layer.beta_2 = row("shift_2");
  layer.heads = input.heads;
  return layer;
}

const Drawn& drawn_after_the_block() {
  static const Drawn drawn = [] {
    NumpyRandom random(42);
    random.randn({10000, 64}), random.randn({512, 64});
    for (int weight = 0; weight < 4; ++weight) random.randn({64, 64});
    random.randint(0, 10000, {2, 10});
    Drawn after;
    for (const double label : random.randint(0, 10000, {2, 10}).data)
      after.labels.push_back(static_cast<std::size_t>(label));
    after.logits = matrix(random.randn({20, 10000}));
    after.logits.transform([](double x) { return static_cast<float>(x); });
    after.gradient = 0.01 * matrix(random.randn({20, 64}));
    return after;
  }();
  return drawn;
}

double count(std::size_t n) {
  return static_cast<double>(n);
}

Shape product_shape(const Shape& a, const Shape& b) {
  const std::size_t inner = b[b.size() - 2];
  if (a.back() != inner) refuse_shapes(to_string(a) + "·" + to_string(b), a.back(), inner);
  Shape result =
      broadcast_shape(Shape(a.begin(), a.end() - 2), Shape(b.begin(), b.end() - 2), Message::given("·"));
  result.push_back(a[a.size() - 2]), result.push_back(b.back());
  return result;
}

Shape elementwise_shape(const Shape& a, const Shape& b) {
  const std::size_t axes = std::min(a.size(), b.size());
  for (std::size_t i = 1; i <= axes; ++i) {
    const std::size_t x = a[a.size() - i], y = b[b.size() - i];
    if (x != y && x != 1 && y != 1) refuse_shapes(to_string(a) + " ⊙ " + to_string(b), x, y);
  }
  return broadcast_shape(a, b, Message::given("⊙"));
}

std::string shape_or_refusal(const Shape& a, const Shape& b, Shape (*rule)(const Shape&, const Shape&)) {
  try {
    return to_string(rule(a, b));
  } catch (const Error& refusal) {
    return refusal.what();
  }
}

} // namespace tfx::errata
