#include "io/error_of.hpp"
#include "layers/block.hpp"
#include "layers/embedding.hpp"
#include "model/counts.hpp"
#include "support/catch.hpp"
#include "support/engine.hpp"
#include "support/model_fixture.hpp"

using namespace tfx;

TEST_CASE("the visitor brings names, shapes and order of a state_dict", "[layers]") {
  std::vector<std::string> lines;
  for (const NamedShape& parameter :
       parameter_shapes(Block<double>({4, 6, 2}, CrossAttention::yes), "decoder.layers.0"))
    lines.push_back(parameter.name + " " + to_string(parameter.shape));
  std::vector<std::string> expected;
  for (const std::string attention : {"self_attn", "src_attn"})
    for (const char* i : {"0", "1", "2", "3"}) {
      expected.push_back("decoder.layers.0." + attention + ".linears." + i + ".weight (4, 4)");
      expected.push_back("decoder.layers.0." + attention + ".linears." + i + ".bias (4,)");
    }
  for (const char* line :
       {"feed_forward.w_1.weight (6, 4)", "feed_forward.w_1.bias (6,)", "feed_forward.w_2.weight (4, 6)",
        "feed_forward.w_2.bias (4,)", "sublayer.0.norm.a_2 (4,)", "sublayer.0.norm.b_2 (4,)",
        "sublayer.1.norm.a_2 (4,)", "sublayer.1.norm.b_2 (4,)", "sublayer.2.norm.a_2 (4,)",
        "sublayer.2.norm.b_2 (4,)"})
    expected.push_back("decoder.layers.0." + std::string(line));
  CHECK(lines == expected);
}

TEST_CASE("the visitor walks layers of one shape in step", "[layers]") {
  Block<double> parameters({4, 6, 2}), gradients({4, 6, 2});
  const Block<double> constant({4, 6, 2});
  each_parameter([](const std::string&, auto& gradient) { gradient.fill(2); }, "", gradients);
  std::size_t visited = 0;
  each_parameter(
      [&](const std::string&, auto& parameter, const auto& gradient, const auto& still) {
        CHECK(arma::size(parameter) == arma::size(still));
        parameter += gradient;
        ++visited;
      },
      "", parameters, gradients, constant);
  CHECK(visited == 16);
  CHECK(parameters.self_attn.linears[2].weight(3, 3) == 2);
  CHECK(parameters.sublayer[1].norm.gamma(0) == 3);
}

TEST_CASE("a layer of shapes only is counted like the layer itself", "[layers]") {
  CHECK(count_parameters(Block<ShapesOnly>({8, 5, 2}, CrossAttention::yes)) ==
        count_parameters(Block<float>({8, 5, 2}, CrossAttention::yes)));
  CHECK(count_parameters(Linear<ShapesOnly>(3, 4, LinearBias::no)) == 12);
  CHECK(count_parameters(Linear<ShapesOnly>(3, 4)) == 16);
}

TEMPLATE_TEST_CASE("a linear layer is Wᵀ·x + b", "[layers]", float, double) {
  RandomInput random(1);
  Linear<TestType> layer(3, 5), plain_layer(3, 5, LinearBias::no);
  layer.weight = plain_layer.weight = random_matrix<TestType>(random, 3, 5);
  layer.bias = random_matrix<TestType>(random, 5, 1);
  const auto x = random_matrix<TestType>(random, 3, 7);
  arma::Mat<TestType> expected = layer.weight.t() * x;
  CHECK(worst_difference(forward(plain_layer, x), expected) <= kernel_bound<TestType>);
  expected.each_col() += layer.bias;
  CHECK(worst_difference(forward(layer, x), expected) <= kernel_bound<TestType>);
}

TEMPLATE_TEST_CASE("positions count within each sequence, computed or learned", "[layers]", float, double) {
  RandomInput random(2);
  Sequences sequences;
  for (const std::size_t length : {3, 1, 4}) sequences.append(length);
  LearnedPositions<TestType> learned(6, 4);
  learned.table = random_matrix<TestType>(random, 6, 4);
  const auto x = random_matrix<TestType>(random, 6, 8);
  auto y = x, sines = x;
  add_positions(y, sequences, Places(sequences), learned);
  add_sinusoidal_positions(sines, sequences, Places(sequences));
  const std::size_t places[] = {0, 1, 2, 0, 0, 1, 2, 3};
  for (std::size_t t = 0; t < 8; ++t) {
    CHECK(worst_difference(y.col(t).eval(), (x.col(t) + learned.table.col(places[t])).eval()) == 0);
    CHECK(sines(0, t) - x(0, t) == Approx(std::sin(static_cast<double>(places[t]))).margin(1e-6));
    CHECK(sines(1, t) - x(1, t) == Approx(std::cos(static_cast<double>(places[t]))).margin(1e-6));
  }
  sequences.append(5);
  arma::Mat<TestType> longer(6, 13);
  check_error(ErrorKind::bad_data, "a sequence has 5 tokens, the table of positions has 4",
              [&] { add_positions(longer, sequences, Places(sequences), learned); });
}

TEST_CASE("an id outside the vocabulary is refused with its place", "[layers]") {
  const Embedding<double> layer(4, 3);
  CHECK(forward(layer, {2, 0}, 1).n_cols == 2);
  check_error(ErrorKind::bad_data, "token 1 has the id 3, the vocabulary has 3", [&] {
    forward(layer, {2, 3}, 1);
  });
}

TEMPLATE_TEST_CASE("dropout zeroes its share, scales the rest, and is the same on any number of threads",
                   "[layers]", float, double) {
  const arma::Mat<TestType> ones(50, 400, arma::fill::ones);
  const TrainingMode training{3, 4, 0.3};
  auto alone = ones, together = ones, elsewhere = ones, prediction = ones;
  drop(ForwardContext<TestType>{nullptr, &training, "a"}, alone);
  const auto cells_of = [&](TestType value) { return std::count(alone.begin(), alone.end(), value); };
  const auto kept = static_cast<TestType>(1 / 0.7);
  CHECK(std::abs(static_cast<double>(cells_of(0)) - 6000) < 260); // four standard deviations
  CHECK(cells_of(0) + cells_of(kept) == 20000);
  drop(ForwardContext<TestType>{nullptr, &training, "b"}, elsewhere);
  CHECK(worst_difference(elsewhere, alone) > 1);
  drop(ForwardContext<TestType>{}, prediction);
  CHECK(worst_difference(prediction, ones) == 0);
  const ThreadCount three(3);
  drop(ForwardContext<TestType>{nullptr, &training, "a"}, together);
  CHECK(worst_difference(together, alone) == 0);
}

TEMPLATE_TEST_CASE("dropout falls on the hidden cells, and on what a sublayer adds", "[layers]", float,
                   double) {
  RandomInput random(7);
  Sequences sequences;
  sequences.append(5);
  const TrainingMode training{1, 2, 0.4};
  const ForwardContext<TestType> context{nullptr, &training, "place"};
  const auto x = random_matrix<TestType>(random, 6, 5);

  const LayerSpec spec{6, 9, 1};
  FeedForward<TestType> feed(spec);
  each_parameter(
      [&](const std::string&, auto& tensor) { tensor.imbue([&] { return TestType(random.number(1)); }); }, "",
      feed);
  arma::Mat<TestType> hidden = forward(feed.w_1, x);
  activate<TestType>(view(hidden), view(hidden), Activation::relu);
  drop(context, hidden);
  CHECK(worst_difference(forward(feed, {x, sequences}, Activation::relu, context),
                         forward(feed.w_2, hidden)) == 0);

  const Sublayer<TestType> sublayer(spec);
  for (const NormPlacement placement : {NormPlacement::pre_norm, NormPlacement::post_norm}) {
    const bool pre_norm = placement == NormPlacement::pre_norm;
    arma::Mat<TestType> added = pre_norm ? forward(sublayer.norm, x, {Norm::layer}) : x;
    drop(context, added);
    arma::Mat<TestType> y = x, expected = x + added;
    if (!pre_norm) expected = forward(sublayer.norm, expected, {Norm::layer});
    apply<TestType>(
        {y, sequences}, sublayer, [](const arma::Mat<TestType>& z) { return z; }, {Norm::layer, placement},
        context);
    CHECK(worst_difference(y, expected) == 0);
  }
}

namespace {

/// Wants one name, and fails where another is reported.
class Wants : public Observer<double> {
public:
  explicit Wants(std::string name) : name_(std::move(name)) {}
  bool wants(const std::string& name) override { return name == name_; }
  void report(const std::string& name, const StridedView<double>& value) override {
    CHECK(name == name_);
    tensor = to_tensor(value);
    ++reports;
  }
  Tensor tensor;
  int reports = 0;

private:
  std::string name_;
};

} // namespace

TEST_CASE("only what is wanted is reported", "[layers]") {
  RandomInput random(6);
  const LayerSpec spec{6, 4, 2};
  Block<double> layer(spec);
  each_parameter([&](const std::string&, auto& tensor) { tensor.imbue([&] { return random.number(1); }); },
                 "", layer);
  Sequences sequences;
  sequences.append(3), sequences.append(3);
  const arma::mat input = random.matrix(6, 6);
  Recorder<double> all;
  arma::mat x = input;
  apply<double>({x, sequences}, layer, {spec}, ForwardContext<double>{&all});
  for (const std::string& name : all.names) {
    Wants one(name);
    arma::mat y = input;
    apply<double>({y, sequences}, layer, {spec}, ForwardContext<double>{&one});
    CHECK(one.reports == 1);
    // Weights that nobody watches are never whole: the sums are the same, added in another order.
    CHECK(one.tensor.shape == all.tensors.at(name)[0].shape);
    for (std::size_t i = 0; i < one.tensor.data.size(); ++i)
      CHECK(std::abs(one.tensor.data[i] - all.tensors.at(name)[0].data[i]) <= kernel_bound<double>);
    CHECK(worst_difference(y, x) <= kernel_bound<double>);
  }
  CHECK(all.tensors.at("self_attn.weights")[0].shape == Shape{2, 2, 3, 3});
  CHECK(all.tensors.at("self_attn.Q")[0].shape == Shape{2, 2, 3, 3});
  CHECK(all.tensors.at("feed_forward.hidden")[0].shape == Shape{2, 3, 4});
}
