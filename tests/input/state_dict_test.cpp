#include "input/state_dict.hpp"

#include "core/tensor.hpp"
#include "io/npz.hpp"
#include "lessons/run.hpp"
#include "support/catch.hpp"
#include "support/random_input.hpp"
#include "support/temporary_folder.hpp"

#include <map>

using namespace tfx;

namespace {

constexpr std::size_t d = 6;

Tensor filled(RandomInput& random, const Shape& shape) {
  Tensor tensor(shape);
  for (double& cell : tensor.data) cell = random.number(1);
  return tensor;
}

Tensor output_of(const TemporaryFolder& folder, const std::map<std::string, Tensor>& tensors) {
  std::vector<NpzEntry> entries;
  for (const auto& [name, tensor] : tensors) entries.push_back({name, &tensor});
  InputOptions options;
  options.text = "to be or not to be";
  options.d_model = d, options.heads = 2;
  options.weights = folder.write("weights.npz", write_npz(entries));
  const LessonRun run = run_lesson(find_lesson("multihead"), options);
  CHECK(run.notes.empty()); // nothing of the file was left out
  return run.trace["output"];
}

} // namespace

TEST_CASE("a state_dict of a tutorial's module is the same attention as the page's own names", "[input]") {
  const TemporaryFolder folder;
  RandomInput random(5);
  std::map<std::string, Tensor> page, stacked;
  std::map<std::string, std::map<std::string, Tensor>> modules;
  stacked["in_proj_weight"] = Tensor({3 * d, d}), stacked["in_proj_bias"] = Tensor(Shape{3 * d});
  const std::map<char, std::vector<std::string>> names{{'Q', {"q_linear", "wq", "linears.0"}},
                                                       {'K', {"k_linear", "wk", "linears.1"}},
                                                       {'V', {"v_linear", "wv", "linears.2"}},
                                                       {'O', {"out", "wo", "linears.3"}}};
  std::size_t part = 0;
  for (const char letter : {'Q', 'K', 'V', 'O'}) {
    const Tensor W = filled(random, {d, d}), b = filled(random, {d}), weight = transposed(W);
    page[std::string("W_") + letter] = W, page[std::string("b_") + letter] = b;
    for (const std::string& name : names.at(letter))
      modules[name.substr(0, 1) == "w"              ? "happy-llm"
              : name.find('.') != std::string::npos ? "annotated"
                                                    : "fun"][name + ".weight"] = weight;
    for (const std::string& name : names.at(letter))
      modules[name.substr(0, 1) == "w"              ? "happy-llm"
              : name.find('.') != std::string::npos ? "annotated"
                                                    : "fun"][name + ".bias"] = b;
    if (letter == 'O') {
      stacked["out_proj.weight"] = weight, stacked["out_proj.bias"] = b;
      continue;
    }
    std::copy(weight.data.begin(), weight.data.end(),
              stacked["in_proj_weight"].data.begin() + static_cast<long>(part * d * d));
    std::copy(b.data.begin(), b.data.end(),
              stacked["in_proj_bias"].data.begin() + static_cast<long>(part * d));
    ++part;
  }
  const Tensor expected = output_of(folder, page);
  for (const auto& [name, tensors] : modules) {
    INFO(name);
    CHECK(output_of(folder, tensors) == expected);
  }
  CHECK(output_of(folder, stacked) == expected);
  page["W_K"] = transposed(page["W_K"]);
  CHECK_FALSE(output_of(folder, page) == expected);
}

TEST_CASE(
    "a module's biases are read on a tutorial's data too, and of a module without them the tutorial's are 0",
    "[input]") {
  const TemporaryFolder folder;
  RandomInput random(6);
  const Tensor in = filled(random, {12, 4}), out = filled(random, {4, 4}), three = filled(random, {12}),
               one = filled(random, {4});
  InputOptions options;
  options.weights = folder.write("mha.npz", write_npz({{"in_proj_weight", &in},
                                                       {"in_proj_bias", &three},
                                                       {"out_proj.weight", &out},
                                                       {"out_proj.bias", &one}}));
  const LessonRun run = run_lesson(find_lesson("multihead"), options);
  CHECK(run.notes.empty());
  CHECK(run.trace["b_O"] == one);
  CHECK(run.trace["b_K"].data == std::vector<double>(three.data.begin() + 4, three.data.begin() + 8));
}

TEST_CASE("half of a module is refused, and drawn where that is asked for", "[input]") {
  const TemporaryFolder folder;
  RandomInput random(7);
  const Tensor W = filled(random, {d, d}), extra = filled(random, {1, 1, d});
  const auto run = [&](const std::vector<NpzEntry>& entries, bool draw_rest) {
    InputOptions options;
    options.text = "to be or not", options.d_model = d, options.heads = 2;
    options.weights = folder.write("weights.npz", write_npz(entries));
    options.draw_rest = draw_rest;
    return run_lesson(find_lesson("multihead"), options);
  };
  const std::vector<NpzEntry> three{{"q_proj.weight", &W}, {"k_proj.weight", &W}, {"v_proj.weight", &W}};
  std::vector<NpzEntry> whole = three;
  whole.push_back({"out_proj.weight", &W});
  CHECK(run(whole, false).trace["W_O"] == transposed(W)); // nn.Linear's
  CHECK_THROWS_WITH(run(three, false), Catch::Matchers::ContainsSubstring("Missing: out_proj.weight"));
  CHECK(run(three, true).trace["W_Q"] == transposed(W));
  std::vector<NpzEntry> more = whole;
  more.push_back({"bias_k", &extra});
  CHECK_THROWS_WITH(run(more, false), Catch::Matchers::ContainsSubstring("bias_k (1, 1, 6)"));
  CHECK(run(more, true).notes.size() == 1);
  std::vector<NpzEntry> bare{{"wq", &W}, {"wk", &W}, {"wv", &W}, {"wo", &W}};
  CHECK(run(bare, false).trace["W_Q"] == W); // used as X·W
  std::vector<NpzEntry> twice = whole;
  twice.push_back({"W_Q", &W});
  CHECK_THROWS_WITH(run(twice, false),
                    Catch::Matchers::ContainsSubstring("W_Q and q_proj.weight are both W_Q"));
  CHECK(run({{"W_Q", &W}}, false).trace["W_Q"] == W); // the page's own names: the rest is drawn
}

TEST_CASE("what is no array beside a module is not left over from it", "[input]") {
  const TemporaryFolder folder;
  RandomInput random(6);
  const Tensor in = filled(random, {3 * d, d}), out = filled(random, {d, d}), count(Shape{}, {7});
  InputOptions options;
  options.text = "to be or not", options.d_model = d, options.heads = 2;
  options.weights = folder.write(
      "weights.npz",
      write_npz({{"in_proj_weight", &in}, {"out_proj.weight", &out}, {"bn.num_batches_tracked", &count}}));
  const LessonRun run = run_lesson(find_lesson("multihead"), options);
  REQUIRE(run.notes.size() == 1); // it is named
  CHECK(run.notes[0].find("num_batches_tracked") != std::string::npos);
}
