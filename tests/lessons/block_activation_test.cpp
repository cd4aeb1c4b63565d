// The activations of a layer's feed-forward network: those of torch.nn.TransformerEncoderLayer, whose numbers
// and gradients stand in data/reference/blocks.npz (tools/reference/make_blocks.py).

#include "core/tensor.hpp"
#include "io/npy.hpp"
#include "judge/instead.hpp"
#include "judge/wrong_run.hpp"
#include "lessons/run.hpp"
#include "page/backward.hpp"
#include "support/catch.hpp"
#include "support/reference.hpp"
#include "support/temporary_folder.hpp"
#include "trace/checks.hpp"

#include <cmath>
#include <map>
#include <tuple>

using namespace tfx;

namespace {

const std::map<std::string, Activation> activations{
    {"relu", Activation::relu}, {"gelu", Activation::gelu}, {"silu", Activation::silu}};

class Blocks {
public:
  Blocks() : arrays_(read_npz(read_file(path()), path())) {
    std::vector<NpzEntry> state;
    for (const NamedArray& one : arrays_)
      if (one.name.starts_with("state.")) state.push_back({one.name.substr(6), &one.array.values});
    weights_ = folder_.write("state.npz", write_npz(state));
    x_ = folder_.write("x.npz", write_npz({{"X", &at("X")}}));
  }

  const Tensor& at(const std::string& name) const {
    const auto found = std::ranges::find(arrays_, name, &NamedArray::name);
    REQUIRE(found != arrays_.end());
    return found->array.values;
  }

  /// The lesson on that state_dict as it is.
  InputOptions options(Activation activation, bool first) const {
    InputOptions o;
    o.x = x_, o.weights = weights_, o.heads = 2, o.norm = Norm::layer, o.norm_first = first;
    o.activation = activation;
    return o;
  }

private:
  static std::string path() { return std::string(TFX_SOURCE_DIR) + "/data/reference/blocks.npz"; }

  std::vector<NamedArray> arrays_;
  TemporaryFolder folder_;
  std::string weights_, x_;
};

double apart(const Tensor& ours, const Tensor& theirs) {
  REQUIRE(ours.shape == theirs.shape);
  return relative_difference(ours, theirs);
}

} // namespace

TEST_CASE("a block of PyTorch's with its own state_dict gives PyTorch's numbers and gradients",
          "[lessons][block]") {
  const Blocks blocks;
  for (const auto& [name, activation] : activations)
    for (const std::string place : {"last", "first"}) {
      const std::string prefix = name + "." + place + ".";
      INFO(prefix);
      InputOptions options = blocks.options(activation, place == "first");
      options.grad = true;
      const LessonRun run = run_lesson(find_lesson("block"), options);
      CHECK(run.notes.empty());
      const Trace& t = run.trace;
      for (const std::string tensor : {"hidden", "activated", "output", "dX", "dhidden"}) {
        INFO(tensor);
        CHECK(apart(t[tensor], blocks.at(prefix + tensor)) <= 1e-12);
      }
      for (const auto& [theirs, ours] : std::map<std::string, std::string>{
               {"linear1.bias", "b_1"}, {"norm1.weight", "gain_1"}, {"norm2.bias", "shift_2"}}) {
        INFO(ours);
        CHECK(apart(t["d" + ours], blocks.at(prefix + "d." + theirs)) <= 1e-12);
      }
      CHECK(apart(transposed(t["dW_1"]), blocks.at(prefix + "d.linear1.weight")) <= 1e-12);
      CHECK(apart(transposed(t["dW_2"]), blocks.at(prefix + "d.linear2.weight")) <= 1e-12);
      for (const Check& check : t.checks) {
        INFO(check.id);
        CHECK(check.pass); // the gradients beside their central differences among them
      }
    }
  CHECK(apart(blocks.at("gelu.last.output"), blocks.at("relu.last.output")) > 1e-3);
}

TEST_CASE("a state_dict of PyTorch's does not say how its layer computes: the learner is told",
          "[lessons][block]") {
  const Blocks blocks;
  InputOptions options = blocks.options(Activation::relu, false);
  options.activation.reset(), options.norm.reset(), options.norm_first.reset();
  const LessonRun run = run_lesson(find_lesson("block"), options);
  REQUIRE(run.notes.size() == 1);
  CHECK(run.notes[0].find("--norm standard --norm-last") != std::string::npos);
}

TEST_CASE("GELU and SiLU by hand, and their slopes", "[lessons][block]") {
  const arma::mat x{{0, 1, -1, 3, -30, 30}};
  const arma::mat gelu = page::activated(x, Activation::gelu), silu = page::activated(x, Activation::silu);
  CHECK(gelu(0) == 0);
  CHECK(gelu(1) ==
        Approx(0.8413447460685429).epsilon(1e-15)); // Φ(1), of any table of the normal distribution
  CHECK(gelu(2) == Approx(-0.15865525393145707).epsilon(1e-14));
  CHECK(gelu(3) == Approx(3 * 0.9986501019683699).epsilon(1e-15));
  CHECK(gelu(4) == 0);
  CHECK(gelu(5) == 30);
  CHECK(silu(0) == 0);
  CHECK(silu(1) == Approx(0.7310585786300049).epsilon(1e-15)); // 1/(1 + 1/e)
  CHECK(silu(2) == Approx(-0.2689414213699951).epsilon(1e-15));
  CHECK(silu(5) == Approx(30));
  const arma::mat ones(1, 6, arma::fill::ones);
  CHECK(page::gelu_backward(ones, x)(0) == 0.5); // at 0 both are half as steep as the line
  CHECK(page::silu_backward(ones, x)(0) == 0.5);
  CHECK(page::gelu_backward(2 * ones, x)(1) ==
        Approx(2 * (0.8413447460685429 + 0.24197072451914337)).epsilon(1e-15));
  CHECK(page::silu_backward(ones, x)(1) ==
        Approx(0.7310585786300049 * (1 + 0.2689414213699951)).epsilon(1e-15));
}

TEST_CASE("GPT-2's GELU and the squared ReLU by hand, and their slopes", "[lessons][block]") {
  const arma::mat x{{0, 1, -1, 3, -30, 30}};
  const arma::mat gelu = page::activated(x, Activation::gelu_tanh),
                  squared = page::activated(x, Activation::squared_relu);
  CHECK(gelu(0) == 0);
  CHECK(gelu(1) == Approx(0.8411919906082768).epsilon(1e-15)); // torch's F.gelu(…, approximate="tanh")
  CHECK(gelu(2) == Approx(-0.15880800939172324).epsilon(1e-14));
  CHECK(gelu(3) == Approx(2.996362607918227).epsilon(1e-15));
  CHECK(gelu(4) == 0);
  CHECK(gelu(5) == 30);
  CHECK(arma::approx_equal(squared, arma::mat{{0, 1, 0, 9, 0, 900}}, "absdiff", 0));
  const arma::mat ones(1, 6, arma::fill::ones);
  CHECK(page::gelu_tanh_backward(ones, x)(0) == 0.5);
  CHECK(page::gelu_tanh_backward(2 * ones, x)(1) == Approx(2 * 1.0829640838457826).epsilon(1e-14));
  CHECK(page::gelu_tanh_backward(ones, x)(2) == Approx(-0.08296408384578255).epsilon(1e-13));
  CHECK(arma::approx_equal(page::squared_relu_backward(2 * ones, x), arma::mat{{0, 4, 0, 12, 0, 120}},
                           "absdiff", 0));
}

TEST_CASE("--activation gelu_tanh and --norm-eps compute as PyTorch's formulas say", "[lessons][block]") {
  InputOptions options;
  options.text = "to be or not", options.heads = 2, options.norm = Norm::layer, options.epsilon = 0.25;
  options.activation = Activation::gelu_tanh, options.grad = true;
  const Trace t = run_lesson(find_lesson("block"), options).trace;
  const double pi = 3.14159265358979323846;
  for (std::size_t i = 0; i < t["hidden"].size(); ++i) { // F.gelu(x, approximate="tanh"), cell by cell
    const double x = t["hidden"].data[i];
    CHECK(t["activated"].data[i] ==
          Approx(0.5 * x * (1 + std::tanh(std::sqrt(2 / pi) * (x + 0.044715 * x * x * x)))).margin(1e-15));
  }
  const auto normed = [&](const Norm rule, const Tensor& X, std::size_t row) { // gain 1, shift 0
    const std::size_t d = X.shape.back();
    double mean = 0, squares = 0;
    for (std::size_t j = 0; j < d; ++j) mean += X.data[row * d + j] / static_cast<double>(d);
    for (std::size_t j = 0; j < d; ++j) squares += std::pow(X.data[row * d + j] - mean, 2);
    const double divisor = rule == Norm::layer ? std::sqrt(squares / static_cast<double>(d) + 0.25)
                                               : std::sqrt(squares / static_cast<double>(d - 1)) + 0.25;
    return (X.data[row * d] - mean) / divisor;
  };
  CHECK(t["normalized_1"].data[0] == Approx(normed(Norm::layer, t["X"], 0)).epsilon(1e-14));
  CHECK(t["normalized_2"].data[0] == Approx(normed(Norm::layer, t["residual_1"], 0)).epsilon(1e-14));
  for (const Check& check : t.checks) {
    INFO(check.id);
    CHECK(check.pass); // the page's layer and central differences among them
  }
  options.norm = Norm::annotated;
  const Trace annotated = run_lesson(find_lesson("block"), options).trace;
  CHECK(annotated["normalized_1"].data[0] == Approx(normed(Norm::annotated, t["X"], 0)).epsilon(1e-14));
  options.epsilon.reset(); // another ε, other numbers
  CHECK(run_lesson(find_lesson("block"), options).trace["output"] != annotated["output"]);
}

TEST_CASE("a mistake with a norm's ε is made with the learner's own", "[lessons][block][judge]") {
  for (const auto& [id, rule, formula] : {std::tuple("norm.eps_inside", Norm::annotated, "√(std_1² + 0.25)"),
                                          {"norm.eps_outside", Norm::layer, "√variance_1 + 0.25"}}) {
    INFO(id);
    InputOptions options;
    options.text = "to be or not", options.heads = 2, options.norm = rule, options.epsilon = 0.25;
    const Trace right = run_lesson(find_lesson("block"), options).trace;
    const Trace wrong = run_wrong(right, {find_mistake(id)}).trace;
    const double spread = right[rule == Norm::layer ? "variance_1" : "std_1"].data[0];
    CHECK(wrong["divisor_1"].data[0] ==
          Approx(rule == Norm::layer ? std::sqrt(spread) + 0.25 : std::sqrt(spread * spread + 0.25))
              .epsilon(1e-14));
    CHECK(wrong.step_named("divisor_1").formula == formula);
  }
}

TEST_CASE("what is wrong with ReLU is not made where there is none", "[lessons][block][judge]") {
  for (const auto& [name, activation] : activations) {
    INFO(name);
    InputOptions options;
    options.text = "to be or not", options.heads = 2, options.activation = activation;
    const Trace right = run_lesson(find_lesson("block"), options).trace;
    for (const char* id : {"feed_forward.relu_first", "feed_forward.no_relu", "feed_forward.relu_last"})
      CHECK(run_wrong(right, {find_mistake(id)}).made.empty() == (name != "relu"));
    CHECK_FALSE(run_wrong(right, {find_mistake("norm.no_mean")}).made.empty());
  }
}
