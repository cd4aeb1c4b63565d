#include "layers/multi_head_attention.hpp"

#include "io/error_of.hpp"
#include "model/checkpoint.hpp"
#include "random/stream.hpp"
#include "support/catch.hpp"
#include "support/engine.hpp"
#include "support/model_fixture.hpp"

using namespace tfx;

namespace {

/// (batch, n, d) in C order → d × (batch·n).
template <class Real>
arma::Mat<Real> columns_of(const Tensor& tensor) {
  const arma::mat values(tensor.data.data(), tensor.shape[2], tensor.shape[0] * tensor.shape[1]);
  return arma::conv_to<arma::Mat<Real>>::from(values);
}

Sequences sequences_of(const Tensor& tensor) {
  Sequences sequences;
  for (std::size_t s = 0; s < tensor.shape[0]; ++s) sequences.append(tensor.shape[1]);
  return sequences;
}

template <class Real>
MultiHeadAttention<Real> random_layer(RandomInput& random, std::size_t d, LinearBias bias = LinearBias::yes) {
  MultiHeadAttention<Real> layer(d, bias);
  for (Linear<Real>& linear : layer.linears) {
    linear.weight = random_matrix<Real>(random, d, d, 0.7);
    if (bias == LinearBias::yes) linear.bias = random_matrix<Real>(random, d, 1);
  }
  return layer;
}

Sequences lengths(const std::vector<std::size_t>& all) {
  Sequences sequences;
  for (const std::size_t length : all) sequences.append(length);
  return sequences;
}

} // namespace

TEMPLATE_TEST_CASE("attention equals nn.MultiheadAttention, with its own weights", "[layers]", float,
                   double) {
  const ModelFixture torch("attention");
  const auto layer = load_attention<TestType>(torch.weights);
  const auto queries = columns_of<TestType>(torch.tensors.at("queries")),
             keys = columns_of<TestType>(torch.tensors.at("keys"));
  Sequences of_queries = sequences_of(torch.tensors.at("queries")),
            of_keys = sequences_of(torch.tensors.at("keys"));
  for (const double valid : torch.tensors.at("valid").data) of_keys.valid.push_back(valid != 0);
  Recorder<TestType> recorder;
  forward(layer, {{queries, of_queries}, {keys, of_keys}, {2}}, ForwardContext<TestType>{&recorder});
  const double bound = sizeof(TestType) == 4 ? 1e-5 : 1e-11;
  CHECK(relative_difference(recorder.tensors.at("weights")[0], torch.tensors.at("weights")) <= bound);
  CHECK(relative_difference(recorder.tensors.at("output")[0], torch.tensors.at("output")) <= bound);
  CHECK(recorder.names == std::vector<std::string>{"Q", "K", "V", "scores", "weights", "output"});
}

TEMPLATE_TEST_CASE("one head of the whole width is the formula itself", "[layers]", float, double) {
  RandomInput random(1);
  const auto layer = random_layer<TestType>(random, 6);
  const auto x = random_matrix<TestType>(random, 6, 4), memory = random_matrix<TestType>(random, 6, 5);
  const Sequences four = lengths({4}), five = lengths({5});
  const auto y = forward(layer, {{x, four}, {memory, five}, {1}}, {});
  const auto project = [&](int i, const arma::Mat<TestType>& z) {
    const arma::mat W = arma::conv_to<arma::mat>::from(layer.linears[i].weight);
    arma::mat result = W.t() * arma::conv_to<arma::mat>::from(z);
    result.each_col() += arma::conv_to<arma::vec>::from(layer.linears[i].bias);
    return result;
  };
  const arma::mat Q = project(0, x), K = project(1, memory), V = project(2, memory);
  arma::mat weights = arma::exp(K.t() * Q / std::sqrt(6.0));
  weights.each_row() /= arma::sum(weights, 0).eval();
  const auto expected = project(3, arma::conv_to<arma::Mat<TestType>>::from(V * weights));
  CHECK(worst_difference(y, expected) <= kernel_bound<TestType>);
}

TEMPLATE_TEST_CASE("sequences of a ragged batch do not see each other", "[layers]", float, double) {
  for (std::uint32_t seed = 0; seed < 10; ++seed) {
    RandomInput random(seed);
    const ThreadCount these(1 + seed % 2);
    const auto layer = random_layer<TestType>(random, 8, random.coin() ? LinearBias::yes : LinearBias::no);
    const std::vector<std::size_t> n_q{random.size(1, 6), random.size(1, 70), random.size(1, 6)},
        n_k{random.size(1, 6), random.size(1, 70), random.size(1, 6)};
    const Sequences of_queries = lengths(n_q), of_keys = lengths(n_k);
    const auto x = random_matrix<TestType>(random, 8, of_queries.tokens()),
               memory = random_matrix<TestType>(random, 8, of_keys.tokens());
    const AttentionConfig config{4, random.coin() ? Mask::causal : Mask::none};
    Recorder<TestType> all;
    const auto y =
        forward(layer, {{x, of_queries}, {memory, of_keys}, config}, ForwardContext<TestType>{&all});
    for (std::size_t s = 0; s < 3; ++s) {
      const arma::Mat<TestType> own_x = x.cols(of_queries.offsets[s], of_queries.offsets[s + 1] - 1),
                                own_memory = memory.cols(of_keys.offsets[s], of_keys.offsets[s + 1] - 1);
      const Sequences queries = lengths({n_q[s]}), keys = lengths({n_k[s]});
      Recorder<TestType> alone;
      const auto own =
          forward(layer, {{own_x, queries}, {own_memory, keys}, config}, ForwardContext<TestType>{&alone});
      CHECK(worst_difference(y.cols(of_queries.offsets[s], of_queries.offsets[s + 1] - 1).eval(), own) <=
            kernel_bound<TestType>);
      if (of_queries.common_length() && of_keys.common_length()) continue; // reported as one
      for (const char* name : {"scores", "weights"}) {
        REQUIRE(all.tensors.at(name).size() == 3);
        CHECK(relative_difference(all.tensors.at(name)[s], alone.tensors.at(name)[0]) <=
              kernel_bound<TestType>);
      }
    }
  }
}

TEMPLATE_TEST_CASE("a sequence that is all padding leaves the bias of W_O", "[layers]", float, double) {
  RandomInput random(3);
  const auto layer = random_layer<TestType>(random, 4);
  const auto x = random_matrix<TestType>(random, 4, 3);
  Sequences sequences = lengths({3});
  sequences.valid = {0, 0, 0};
  const Tokens<TestType> tokens{x, sequences};
  const auto y = forward(layer, {tokens, tokens, {2}}, {});
  CHECK(worst_difference(y, arma::repmat(arma::Mat<TestType>(layer.linears[3].bias), 1, 3).eval()) == 0);
}

TEMPLATE_TEST_CASE("dropout of the weights is drawn by place and step, and right on average", "[layers]",
                   float, double) {
  RandomInput random(4);
  const auto layer = random_layer<TestType>(random, 4);
  const Sequences sequences = lengths({3, 2});
  const auto x = random_matrix<TestType>(random, 4, sequences.tokens());
  const Tokens<TestType> tokens{x, sequences};
  const auto run = [&](const TrainingMode& training) {
    return forward(layer, {tokens, tokens, {2, Mask::causal}},
                   ForwardContext<TestType>{nullptr, &training, "here"});
  };
  const auto still = forward(layer, {tokens, tokens, {2, Mask::causal}}, {});
  CHECK(worst_difference(run({1, 1, 0}), still) == 0);
  const auto once = run({1, 1, 0.5});
  CHECK(worst_difference(once, still) > 0.01);
  CHECK(worst_difference(run({1, 2, 0.5}), once) > 0.01);
  CHECK(worst_difference(run({2, 1, 0.5}), once) > 0.01);
  {
    const ThreadCount two(2);
    CHECK(worst_difference(run({1, 1, 0.5}), once) <= kernel_bound<TestType>);
  }
  constexpr int steps = 20'000;
  arma::mat sum(4, sequences.tokens(), arma::fill::zeros);
  for (std::uint64_t step = 0; step < steps; ++step)
    sum += arma::conv_to<arma::mat>::from(run({1, step, 0.2}));
  CHECK(worst_difference((sum / steps).eval(), still) < 0.02); // some standard errors
}

TEST_CASE("a weight falls by its sequence, head, query and key, across tiles", "[layers]") {
  // Keys of zeros make all weights 1/n_k; W_V = W_O = 1 leave the mixture of x as it is.
  MultiHeadAttention<double> layer(4, LinearBias::no);
  layer.linears[2].weight.eye();
  layer.linears[3].weight.eye();
  RandomInput random(5);
  const Sequences queries = lengths({3, 130}), keys = lengths({2, 70});
  const arma::mat x = random.matrix(4, queries.tokens()), memory = random.matrix(4, keys.tokens());
  const TrainingMode training{11, 12, 0.4};
  const arma::mat y =
      forward(layer, {{x, queries}, {memory, keys}, {2}}, ForwardContext<double>{nullptr, &training, "here"});
  arma::mat expected(4, queries.tokens(), arma::fill::zeros);
  std::vector<std::uint16_t> numbers(2 * (3 * 2 + 130 * 70));
  RandomStream(11, stream_number("here"), 12).draw(0, numbers.size(), numbers.data());
  std::size_t place = 0;
  for (std::size_t s = 0; s < 2; ++s)
    for (std::size_t h = 0; h < 2; ++h)
      for (std::size_t q = queries.offsets[s]; q < queries.offsets[s + 1]; ++q)
        for (std::size_t k = keys.offsets[s]; k < keys.offsets[s + 1]; ++k)
          if (numbers[place++] >= 26214) // 0.4 of 2¹⁶
            for (std::size_t i = 2 * h; i < 2 * h + 2; ++i)
              expected(i, q) += memory(i, k) / static_cast<double>(keys.length(s)) / 0.6;
  CHECK(worst_difference(y, expected) <= 1e-12);
}

TEST_CASE("heads that do not divide the width, and batches of other sizes, are refused", "[layers]") {
  const MultiHeadAttention<double> layer(6);
  const arma::mat x(6, 4), other(5, 4);
  const Sequences one = lengths({4}), two = lengths({2, 2});
  check_error(ErrorKind::bad_data, "4 heads do not divide a width of 6", [&] {
    forward(layer, {{x, one}, {x, one}, {4}}, {});
  });
  check_error(ErrorKind::bad_data, "1 sequences attend to 2", [&] {
    forward(layer, {{x, one}, {x, two}, {2}}, {});
  });
  check_error(ErrorKind::bad_data, "(6, 6), its input (4, 5)", [&] {
    forward(layer, {{other, one}, {x, one}, {2}}, {});
  });
}
