#include "input/state_dict.hpp"

#include "core/broadcast.hpp"
#include "core/tensor.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace tfx {

namespace {

constexpr std::array<std::string_view, 4> letters{"Q", "K", "V", "O"};
constexpr std::array<std::array<std::string_view, 4>, 4> modules{{
    {"q_linear", "k_linear", "v_linear", "out"},
    {"wq", "wk", "wv", "wo"},
    {"linears.0", "linears.1", "linears.2", "linears.3"},
    {"", "", "", "out_proj"},
}};

/// The other parameters of an encoder layer: nn.TransformerEncoderLayer's and annotated's EncoderLayer's.
struct LayerName {
  std::string_view theirs, ours;
};
constexpr LayerName layer_names[] = {
    {"linear1.weight", "W_1"},          {"linear1.bias", "b_1"},
    {"linear2.weight", "W_2"},          {"linear2.bias", "b_2"},
    {"norm1.weight", "gain_1"},         {"norm1.bias", "shift_1"},
    {"norm2.weight", "gain_2"},         {"norm2.bias", "shift_2"},
    {"feed_forward.w_1.weight", "W_1"}, {"feed_forward.w_1.bias", "b_1"},
    {"feed_forward.w_2.weight", "W_2"}, {"feed_forward.w_2.bias", "b_2"},
    {"sublayer.0.norm.a_2", "gain_1"},  {"sublayer.0.norm.b_2", "shift_1"},
    {"sublayer.1.norm.a_2", "gain_2"},  {"sublayer.1.norm.b_2", "shift_2"},
};
constexpr std::string_view attention_of_layer = "self_attn.";

/// "wq.weight" → "W_Q", "wq.bias" → "b_Q", "linear1.weight" → "W_1"; any other name as it is.
std::string page_name(const std::string& name) {
  for (const LayerName& one : layer_names)
    if (name == one.theirs) return std::string(one.ours);
  for (const auto& module : modules)
    for (std::size_t i = 0; i < letters.size(); ++i) {
      if (module[i].empty()) continue;
      if (name == std::string(module[i]) + ".weight") return "W_" + std::string(letters[i]);
      if (name == std::string(module[i]) + ".bias") return "b_" + std::string(letters[i]);
    }
  return name;
}

/// Third `i` of the first axis.
Tensor third(const Tensor& all, std::size_t i) {
  Shape shape = all.shape;
  shape[0] /= 3;
  const auto begin = all.data.begin() + static_cast<std::ptrdiff_t>(i * element_count(shape));
  return Tensor(shape, {begin, begin + static_cast<std::ptrdiff_t>(element_count(shape))});
}

} // namespace

std::vector<NamedArray> with_page_names(std::vector<NamedArray> arrays) {
  std::vector<NamedArray> named;
  for (NamedArray& entry : arrays) {
    if (entry.name.starts_with(attention_of_layer)) entry.name.erase(0, attention_of_layer.size());
    const Tensor& values = entry.array.values;
    const bool weights = entry.name == "in_proj_weight" && values.rank() == 2;
    const bool biases = entry.name == "in_proj_bias" && values.rank() == 1;
    if ((weights || biases) && values.shape[0] % 3 == 0) {
      for (std::size_t i = 0; i < 3; ++i) {
        NamedArray part{(weights ? "W_" : "b_") + std::string(letters[i]), entry.array};
        part.array.values = weights ? transposed(third(values, i)) : third(values, i);
        named.push_back(std::move(part));
      }
      continue;
    }
    std::string name = page_name(entry.name);
    if (name != entry.name && values.rank() == 2) entry.array.values = transposed(values);
    entry.name = std::move(name);
    named.push_back(std::move(entry));
  }
  return named;
}

} // namespace tfx
