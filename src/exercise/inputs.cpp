#include "exercise/inputs.hpp"

#include <algorithm>
#include <cmath>

namespace tfx {

namespace {

Step* find_step(LessonInput& input, const std::string& name) {
  const auto found = std::ranges::find(input.given.steps, name, &Step::name);
  return found == input.given.steps.end() ? nullptr : &*found;
}

void multiply(LessonInput& input, const std::string& name, double factor) {
  if (Step* step = find_step(input, name))
    for (double& x : step->value.data) x *= factor;
}

// Numbers without a pattern that a wrong order would keep; of each number `which` others.
void fill(Tensor& tensor, double centre, double spread, double which = 0) {
  for (std::size_t i = 0; i < tensor.size(); ++i)
    tensor.data[i] = centre + spread * std::sin(1.7 * static_cast<double>(i) + 0.4 + which);
}

// How many queries and keys there are.
std::pair<std::size_t, std::size_t> sizes(const LessonInput& input) {
  const auto rows = [&](const std::string& name) {
    const Shape& shape = input.given[name].shape;
    return shape[shape.size() - 2];
  };
  if (input.has("Q")) return {rows("Q"), rows("K")};
  return {rows("X"), rows(input.has("memory") ? "memory" : "X")};
}

} // namespace

void block_a_row(LessonInput& input) {
  const auto [n_q, n_k] = sizes(input);
  Tensor mask(Shape{n_q, n_k});
  for (std::size_t i = 0; i < n_q; ++i)
    for (std::size_t j = 0; j < n_k; ++j)
      mask.at({i, j}) = i != 1 && (j == 0 || (3 * i + 2 * j) % 5 != 1) ? 1 : 0;
  input.given.add_input("mask_given", "", std::move(mask), {});
}

void block_some(LessonInput& input) {
  const auto [n_q, n_k] = sizes(input);
  Tensor mask(Shape{n_q, n_k});
  for (std::size_t i = 0; i < n_q; ++i)
    for (std::size_t j = 0; j < n_k; ++j) mask.at({i, j}) = j == i || (i + 2 * j) % 3 == 0 ? 1 : 0;
  input.given.add_input("mask_given", "", std::move(mask), {});
}

void enlarge_queries(LessonInput& input) {
  constexpr double factor = 1000;
  multiply(input, input.has("Q") ? "Q" : "W_Q", factor);
}

void enlarge_logits(LessonInput& input) {
  constexpr double factor = 400; // beyond e^709 in every row
  multiply(input, "W_O", factor);
}

void vary_logits(LessonInput& input) {
  fill(find_step(input, "logits")->value, 0.5, 2.5);
}

void tie_logits(LessonInput& input) {
  const std::vector<double> tied{-4, -2, -3, -2, -6, -3, -5, -2}; // none is positive
  Tensor& logits = find_step(input, "logits")->value;
  for (std::size_t i = 0; i < logits.size(); ++i) logits.data[i] = tied[i % tied.size()];
}

void level_logits(LessonInput& input) {
  for (double& x : find_step(input, "logits")->value.data) x = -3;
  find_step(input, "u")->value.data[0] = 0.5;
}

void repeat_a_key(LessonInput& input) {
  const std::size_t first = 1, again = 3;
  Tensor &Q = find_step(input, "Q")->value, &K = find_step(input, "K")->value;
  for (std::size_t j = 0; j < K.shape[1]; ++j) {
    K.at({again, j}) = K.at({first, j});
    Q.at({0, j}) = 2 * K.at({first, j});
  }
}

void shrink_gradients(LessonInput& input) {
  constexpr double factor = 1e-8;
  multiply(input, "W_O", factor);
}

void start_at_step(LessonInput& input, int t) {
  input.optimizer_step.t = t;
  for (const bool of_squares : {false, true}) {
    Tensor average(input.given["W_Q"].shape);
    fill(average, of_squares ? 0.3 : 0.05, of_squares ? 0.2 : 0.4);
    input.given.add_input(of_squares ? "v0_W_Q" : "m0_W_Q", "", std::move(average), {});
  }
}

void make_two_sentences(LessonInput& input) {
  Step& ids = *find_step(input, "token_ids");
  const std::size_t half = ids.value.size() / 2;
  ids.value.shape = {2, half};
  ids.labels = Labels(2);
  find_step(input, "positions")->value = Tensor(Shape{half});
  for (std::size_t i = 0; i < half; ++i)
    find_step(input, "positions")->value.data[i] = static_cast<double>(i);
}

void add_words(LessonInput& input) {
  Step& word = *find_step(input, "word");
  const Tensor one = word.value, &pieces = input.given["pieces"];
  const std::size_t width = std::max(one.shape[1], pieces.shape[1]),
                    rows = 1 + std::min<std::size_t>(2, pieces.shape[0]);
  word.value = Tensor({rows, width}, std::vector<double>(rows * width, -1));
  for (std::size_t j = 0; j < one.shape[1]; ++j) word.value.at({rows - 1, j}) = one.data[j];
  for (std::size_t i = 0; i + 1 < rows; ++i)
    for (std::size_t j = 0; j < pieces.shape[1]; ++j)
      word.value.at({i, j}) = pieces.at({pieces.shape[0] - 1 - i, j});
  word.labels = Labels(2);
}

void add_open_mask(LessonInput& input) {
  const auto [n_q, n_k] = sizes(input);
  input.given.add_input("mask_given", "", Tensor(Shape{n_q, n_k}, std::vector<double>(n_q * n_k, 1)), {});
}

void add_biases(LessonInput& input) {
  double centre = 0.3;
  for (const std::string letter : {"Q", "K", "V"}) {
    Tensor bias(Shape{input.given["W_" + letter].shape.back()});
    fill(bias, centre, 0.5);
    input.given.add_input("b_" + letter, "", std::move(bias), {}, Role::parameter);
    centre -= 0.4;
  }
}

void vary_parameters(LessonInput& input) {
  double which = 0;
  for (Step& step : input.given.steps) {
    if (step.name.starts_with("gain_")) fill(step.value, 1.1, 0.4, ++which);
    if (step.name.starts_with("shift_")) fill(step.value, 0.2, 0.3, ++which);
    if (step.name.starts_with("b_")) fill(step.value, -0.1, 0.4, ++which);
  }
}

void level_a_token(LessonInput& input) {
  vary_parameters(input);
  Tensor& X = find_step(input, "X")->value;
  std::fill_n(X.data.begin(), X.shape.back(), 0.75);
}

} // namespace tfx
