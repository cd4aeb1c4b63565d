#include "input/state_dict.hpp"

#include "core/broadcast.hpp"
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
