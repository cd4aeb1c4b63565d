// The errata of attention-block that are about the block, its weights and its picture.

#include "lessons/errata/page_data.hpp"
#include "lessons/errata/pages.hpp"
#include "random/numpy_rng.hpp"

#include <algorithm>
#include <map>

namespace tfx::errata {

using arma::mat;
using arma::uword;

namespace {

const std::vector<std::string>& drawn_words() {
  return the_block().given.find("token_ids")->labels.back();
}

mat causal() {
  return page::causal_mask(10, 10);
}

Findings he_unused() {
  constexpr std::size_t width = 64, layers = 8;
  // Through layers with ReLU: what is left of the mean square, per layer drawn with this deviation.
  const auto kept = [](double deviation) {
    NumpyRandom random(42);
    mat x = matrix(random.randn({64, width}));
    const double before = arma::mean(arma::vectorise(arma::square(x)));
    for (std::size_t layer = 0; layer < layers; ++layer)
      x = arma::clamp(x * (deviation * matrix(random.randn({width, width}))), 0, arma::datum::inf);
    return arma::mean(arma::vectorise(arma::square(x))) / before;
  };
  const double xavier = std::sqrt(2.0 / (width + width)), he = std::sqrt(2.0 / width);
  const double page = kept(xavier), instead = kept(he);
  Findings f;
  f.measure("deviation", xavier, he);
  f.measure("kept_square", page, instead);
  f.facts["layers"] = count(layers);
  f.facts["drawn_deviation"] = arma::stddev(arma::vectorise(given(the_block(), "W_Q")));
  f.verdict(page, instead, [](double left) { return left > 0.2 && left < 5; });
  return f;
}

// randn(…).astype(float32) times a float64 scalar: NumPy 2 promotes as C++ does, and keeps the wider type.
Findings float64_weights() {
  const float drawn = 1;
  const double deviation = std::sqrt(2.0 / (64 + 64));
  const double page = count(sizeof(drawn * deviation)),
               instead = count(sizeof(drawn * static_cast<float>(deviation)));
  const double cells = count(given(the_block(), "W_Q").n_elem);
  Findings f;
  f.measure("bytes_of_a_weight", page, instead);
  f.measure("bytes", cells * page, cells * instead);
  f.facts["deviation"] = deviation;
  f.verdict(page, instead, [](double bytes) { return bytes == sizeof(float); });
  return f;
}

// What is left of the input where the attention adds nothing: W_O = 0, and W_2 = 0 in the feed-forward.
Findings block_parts() {
  const LessonInput& run = the_block();
  constexpr uword d = 64, d_ff = 4 * d;
  const arma::rowvec none(d, arma::fill::zeros), ones(d, arma::fill::ones);
  page::Layer layer;
  layer.attention = {given(run, "W_Q"), given(run, "W_K"), given(run, "W_V"), none, none, none};
  layer.W_O = mat(d, d, arma::fill::zeros);
  layer.W_1 = mat(d, d_ff, arma::fill::ones), layer.W_2 = mat(d_ff, d, arma::fill::zeros);
  layer.b_O = none, layer.b_1 = arma::rowvec(d_ff, arma::fill::zeros), layer.b_2 = none;
  layer.gamma_1 = layer.gamma_2 = ones, layer.beta_1 = layer.beta_2 = none;
  layer.heads = run.heads;
  const mat X = given(run, "X");
  const auto kept = [&](const mat& output) { return arma::norm(output, "fro") / arma::norm(X, "fro"); };
  const double page = kept(page::multihead_attention(X, X, layer, causal())),
               instead = kept(page::encoder_layer_norm_first(X, layer, causal()));
  Findings f;
  f.measure("input_kept", page, instead);
  f.measure("block_parameters", count(4 * d * d), count(4 * (d * d + d) + 2 * d * d_ff + d_ff + d + 4 * d));
  f.verdict(page, instead, [](double share) { return share > 0; });
  return f;
}

Findings padding_seen() {
  const mat padding = page::padding_mask(10, 10, 2);
  const auto on_padding = [&](const mat& mask) {
    double sum = 0;
    for (const page::Attention& head : heads_of(the_block(), mask))
      sum += arma::accu(head.weights.tail_cols(2));
    return sum;
  };
  const double page = on_padding(causal()), instead = on_padding(causal() % padding);
  Findings f;
  f.measure("weight_on_padding", page, instead);
  f.facts["heads"] = count(the_block().heads);
  f.verdict(page, instead, [](double weight) { return weight == 0; });
  return f;
}

// The ids under words that are the same, in lower case: how many different ones at most.
double ids_of_one_word(const std::vector<double>& ids, std::string& word, std::vector<double>& its_ids) {
  std::map<std::string, std::vector<double>> seen;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    std::string name = drawn_words()[i];
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
    auto& of_word = seen[name];
    if (std::ranges::find(of_word, ids[i]) == of_word.end()) of_word.push_back(ids[i]);
  }
  for (const auto& [name, of_word] : seen)
    if (of_word.size() > its_ids.size()) word = name, its_ids = of_word;
  return count(its_ids.size());
}

Findings picture_words() {
  const Tensor& ids = the_block().given["token_ids"];
  std::vector<double> page(ids.data.begin(), ids.data.begin() + 10), instead, its_ids, own;
  std::map<std::string, double> vocabulary; // an id a word, in order of appearance
  for (std::string name : drawn_words()) {
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
    instead.push_back(vocabulary.insert({name, count(vocabulary.size())}).first->second);
  }
  std::string word, same;
  const double page_ids = ids_of_one_word(page, word, its_ids), own_ids = ids_of_one_word(instead, same, own);
  Findings f;
  f.measure("ids_of_one_word", page_ids, own_ids);
  f.facts["word"] = word;
  f.facts["ids"] = its_ids;
  f.verdict(page_ids, own_ids, [](double n) { return n == 1; });
  return f;
}

// How far the weights of a head are from 1/(i + 1) in row i, which takes no attention at all.
double from_uniform(const mat& weights) {
  double farthest = 0;
  for (uword i = 0; i < weights.n_rows; ++i)
    for (uword j = 0; j <= i; ++j)
      farthest = std::max(farthest, std::abs(weights(i, j) - 1 / (count(i) + 1)));
  return farthest;
}

Findings uniform_picture() {
  LessonInput spread = the_block();
  constexpr double widened = 50; // tables drawn with deviation 1 in place of 0.02
  for (Step& step : spread.given.steps)
    if (step.name == "X")
      for (double& x : step.value.data) x *= widened;
  double page = 0;
  for (const std::size_t sentence : {0, 1})
    for (const page::Attention& head : heads_of(the_block(), causal(), sentence))
      page = std::max(page, from_uniform(head.weights));
  const double instead = from_uniform(heads_of(spread, causal())[0].weights);
  constexpr double smallest_step = 0.05; // of the picture: below it a cell stays blank
  Findings f;
  f.measure("from_uniform", page, instead);
  f.facts["smallest_step"] = smallest_step;
  f.verdict(page, instead, [](double distance) { return distance > smallest_step; });
  return f;
}

Findings minimum_zero() {
  double page = 1, instead = 1;
  for (const page::Attention& head : heads_of(the_block(), causal())) {
    page = std::min(page, head.weights.min());
    instead = std::min(instead, arma::vec(head.weights.elem(arma::find(causal() == 1))).min());
  }
  Findings f;
  f.measure("smallest_weight", page, instead);
  f.verdict(page, instead, [](double weight) { return weight > 0; });
  return f;
}

} // namespace

std::vector<Erratum> of_attention_block() {
  return {{"he_unused", "attention-block", he_unused},
          {"float64_weights", "attention-block", float64_weights},
          {"block_parts", "attention-block", block_parts},
          {"picture_words", "attention-block", picture_words},
          {"padding_seen", "attention-block", padding_seen},
          {"uniform_picture", "attention-block", uniform_picture},
          {"minimum_zero", "attention-block", minimum_zero}};
}

} // namespace tfx::errata
