// The errata of attention-block: its block, its weights and its picture, then its loss, its backward pass and
// its measurements.

#include "lessons/errata/erratum.hpp"
#include "lessons/errata/page_data.hpp"
#include "page/backward.hpp"
#include "random/numpy_rng.hpp"

#include <algorithm>
#include <map>

namespace tfx::errata {

// The errata of attention-block that are about the block, its weights and its picture.

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

// The errata of attention-block that are about its loss, its backward pass and its measurements.

using arma::mat;
using arma::uword;

namespace {

mat concatenated_output(const LessonInput& run, std::size_t sentence) {
  std::vector<mat> heads;
  for (const page::Attention& head : heads_of(run, page::causal_mask(10, 10), sentence))
    heads.push_back(head.output);
  return page::merge_heads(heads);
}

double cross_entropy(const mat& log_probs, const std::vector<std::size_t>& labels) {
  double sum = 0;
  for (uword i = 0; i < log_probs.n_rows; ++i) sum -= log_probs(i, labels[i]);
  return sum / count(log_probs.n_rows);
}

Findings random_logits() {
  // The loss of the model as it is, less that of the model with W_O = 0.
  const auto difference = [](auto&& loss) {
    const mat W_O = given(the_block(), "W_O");
    return std::abs(loss(W_O) - loss(mat(W_O.n_rows, W_O.n_cols, arma::fill::zeros)));
  };
  const Drawn& after = drawn_after_the_block();
  const mat E = given(the_block(), "token_embedding");
  const mat concat =
      arma::join_cols(concatenated_output(the_block(), 0), concatenated_output(the_block(), 1));
  const auto tied = [&](const mat& W_O) {
    return cross_entropy(page::log_softmax(concat * W_O * E.t()), after.labels);
  };
  const double fixed = cross_entropy(page::log_softmax(after.logits), after.labels);
  Findings f;
  const double page = difference([&](const mat&) { return fixed; }), instead = difference(tied);
  f.measure("loss_moves", page, instead);
  f.measure("loss", fixed, tied(given(the_block(), "W_O")));
  f.facts["log_vocabulary"] = std::log(count(E.n_rows));
  f.verdict(page, instead, [](double moved) { return moved > 0; });
  return f;
}

// The maximum subtracted inside the sum only: the row then sums to e^max.
Findings log_probs_max() {
  const Drawn& after = drawn_after_the_block();
  const mat& Z = after.logits;
  const arma::vec sums = arma::sum(arma::exp(Z.each_col() - arma::vec(arma::max(Z, 1))), 1);
  const mat page = Z.each_col() - arma::log(sums), instead = page::log_softmax(Z);
  const auto row_sum = [](const mat& log_probs) { return arma::accu(arma::exp(log_probs.row(0))); };
  Findings f;
  f.measure("row_sum", row_sum(page), row_sum(instead));
  f.measure("loss", cross_entropy(page, after.labels), cross_entropy(instead, after.labels));
  f.facts["largest"] = Z.row(0).max();
  f.verdict(row_sum(page), row_sum(instead), [](double sum) { return std::abs(sum - 1) < 1e-9; });
  return f;
}

// Each called gradient beside the central difference of the loss. The page's loss never reads the output
// whose gradient it draws, so every difference of it is 0.
Findings random_backward() {
  const Drawn& after = drawn_after_the_block();
  const mat Z = after.logits.row(0);
  const std::vector<std::size_t> label{after.labels[0]};
  mat target(1, Z.n_cols, arma::fill::zeros);
  target(0, label[0]) = 1;
  const mat gradient = arma::exp(page::log_softmax(Z)) - target;
  double off = 0;
  for (const uword cell : {uword{0}, Z.index_max(), uword{label[0]}}) {
    constexpr double h = 1e-4; // a larger step would see the curve, a smaller one the rounding
    mat up = Z, down = Z;
    up(cell) += h, down(cell) -= h;
    const double slope =
        (cross_entropy(page::log_softmax(up), label) - cross_entropy(page::log_softmax(down), label)) /
        (2 * h);
    off = std::max(off, std::abs(slope - gradient(cell)));
  }
  Findings f;
  const double page = arma::abs(after.gradient).max();
  f.measure("gradient_off", page, off);
  f.facts["smallest"] = after.gradient.min();
  f.facts["largest"] = after.gradient.max();
  f.verdict(page, off, [](double distance) { return distance < 1e-8; }); // h² and rounding over h
  return f;
}

// A block whose softmax is saturated, so that W_Q learns nothing: who warns?
Findings gradient_flow() {
  LessonInput run = the_block();
  constexpr double grown = 1e8;
  for (Step& step : run.given.steps)
    if (step.name == "W_Q")
      for (double& w : step.value.data) w *= grown;
  const mat X = given(run, "X"), mask = page::causal_mask(10, 10);
  const auto Q = page::split_heads(projected(run, "Q"), 4), K = page::split_heads(projected(run, "K"), 4),
             V = page::split_heads(projected(run, "V"), 4);
  const mat output = concatenated_output(run, 0) * given(run, "W_O");
  const mat dconcat = mat(10, 64, arma::fill::value(1.0 / 640)) * given(run, "W_O").t();
  double largest = 0;
  for (std::size_t h = 0; h < 4; ++h) {
    const auto back = page::attention_backward(
        Q[h], K[h], V[h], mask, page::attention(Q[h], K[h], V[h], mask), dconcat.cols(16 * h, 16 * h + 15));
    largest = std::max(largest, mat(arma::abs(X.t() * back.dQ)).max());
  }
  constexpr double threshold = 1e-7; // the page's own, which it never compares with
  const double deviation = arma::stddev(arma::vectorise(output), 1);
  const double page = deviation < 1e-6 || deviation > 1e3, instead = largest < threshold;
  Findings f;
  f.measure("looked_at", deviation, largest);
  f.measure("warnings", page, instead);
  f.facts["grown"] = grown;
  f.facts["threshold"] = threshold;
  f.verdict(page, instead, [](double warnings) { return warnings == 1; });
  return f;
}

// A hundred runs of one length, one of them held up by the machine.
Findings mean_time() {
  constexpr double length = 1, held_up = 100; // ms
  NumpyRandom random(42);
  std::vector<double> times = random.uniform(0.98 * length, 1.02 * length, {100}).data;
  times[50] += held_up;
  const double mean = arma::mean(arma::vec(times)), median = arma::median(arma::vec(times));
  Findings f;
  f.measure("time_of_a_run", mean, median);
  f.facts["length"] = length, f.facts["held_up"] = held_up, f.facts["runs"] = count(times.size());
  f.verdict(mean, median, [](double time) { return std::abs(time - length) < 0.05 * length; });
  return f;
}

} // namespace

std::vector<Erratum> of_attention_block_training() {
  return {{"random_logits", "attention-block", random_logits},
          {"log_probs_max", "attention-block", log_probs_max},
          {"random_backward", "attention-block", random_backward},
          {"mean_time", "attention-block", mean_time},
          {"gradient_flow", "attention-block", gradient_flow}};
}

} // namespace tfx::errata
