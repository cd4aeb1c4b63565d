#include "input/state_dict.hpp"

#include "core/tensor.hpp"
#include "io/known_programs.hpp"
#include "text/names.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

namespace tfx {

namespace {

using Names = std::vector<std::string>;

constexpr std::array<std::string_view, 4> letters{"Q", "K", "V", "O"};

/// How a program calls the projections of an attention module.
struct AttentionNames {
  std::array<std::string_view, 3> projections;
  std::vector<std::string_view> output;
  bool biases_together = false; ///< all of its four have a bias, or none
};
const std::vector<AttentionNames>& attention_names() {
  static const std::vector<AttentionNames> all{
      {{"q_proj_weight", "k_proj_weight", "v_proj_weight"}, {"out_proj"}, true}, // nn.MultiheadAttention
      {{"q_linear", "k_linear", "v_linear"}, {"out"}},
      {{"wq", "wk", "wv"}, {"wo"}},
      {{"linears.0", "linears.1", "linears.2"}, {"linears.3"}, true},
      {{"q_proj", "k_proj", "v_proj"}, {"out_proj", "o_proj"}},
      {{"W_query", "W_key", "W_value"}, {"out_proj"}},
      {{"query", "key", "value"}, {"out_proj", "out"}},
      {{"W_q", "W_k", "W_v"}, {"W_o"}},
      {{"w_q", "w_k", "w_v"}, {"w_o", "w_concat"}},
      {{"w_qs", "w_ks", "w_vs"}, {"fc"}},
  };
  return all;
}
constexpr std::size_t torch_row = 0;

/// The other parameters of an encoder layer.
constexpr std::array<std::string_view, 8> layer_parameters{"W_1",    "b_1",     "W_2",    "b_2",
                                                           "gain_1", "shift_1", "gain_2", "shift_2"};

/// How a program calls them, in that order.
struct LayerNames {
  std::string_view attention; ///< what stands before the names of its attention
  std::array<std::string_view, layer_parameters.size()> theirs;
  LayerProgram program = {}; ///< of a program whose layers compute in one way only
};
constexpr LayerNames layer_names[] = {
    {"self_attn.", // nn.TransformerEncoderLayer
     {"linear1.weight", "linear1.bias", "linear2.weight", "linear2.bias", "norm1.weight", "norm1.bias",
      "norm2.weight", "norm2.bias"}},
    {"self_attn.", // annotated's EncoderLayer
     {"feed_forward.w_1.weight", "feed_forward.w_1.bias", "feed_forward.w_2.weight", "feed_forward.w_2.bias",
      "sublayer.0.norm.a_2", "sublayer.0.norm.b_2", "sublayer.1.norm.a_2", "sublayer.1.norm.b_2"}},
    {"attention.",
     {"ffn.linear1.weight", "ffn.linear1.bias", "ffn.linear2.weight", "ffn.linear2.bias", "norm1.gamma",
      "norm1.beta", "norm2.gamma", "norm2.beta"},
     {"hyunwoongko/transformer", "--norm standard --norm-last --norm-eps 1e-12"}},
    {"slf_attn.",
     {"pos_ffn.w_1.weight", "pos_ffn.w_1.bias", "pos_ffn.w_2.weight", "pos_ffn.w_2.bias",
      "slf_attn.layer_norm.weight", "slf_attn.layer_norm.bias", "pos_ffn.layer_norm.weight",
      "pos_ffn.layer_norm.bias"},
     {"jadore801120/attention-is-all-you-need-pytorch", "--norm standard --norm-last --norm-eps 1e-6"}},
};

/// A name as an owner and a member: "attn.wq.weight" → "attn.", weight.
enum class Kind { weight, bias, bare };
struct Member {
  std::string_view owner;
  Kind kind;
};
std::optional<Member> member_of(std::string_view name, std::string_view member) {
  for (const auto& [suffix, kind] :
       {std::pair{".weight", Kind::weight}, {".bias", Kind::bias}, {"", Kind::bare}}) {
    const std::string end = std::string(member) + suffix;
    if (ends_as(name, end)) return Member{name.substr(0, name.size() - end.size()), kind};
  }
  return std::nullopt;
}

/// Buffers that only mask: a lesson has options for that.
bool is_mask(std::string_view name) {
  return ends_as(name, "mask") || ends_as(name, "causal_mask") || ends_as(name, "attn_mask") ||
         ends_as(name, "tril");
}

class Reader {
public:
  Reader(const TensorFile& file, const InputRules& lesson, const Names& page_names)
      : entries_(file.entries()), lesson_(lesson), page_names_(page_names), taken_(entries_.size()) {
    for (const TensorFile::Entry& entry : entries_)
      names_.emplace_back(without_wrappers(entry.name, result_.taken_off));
  }

  StateDict read() {
    own_names();
    find_modules();
    if (modules_.size() == 1) {
      module_ = *modules_.begin();
      attention();
      layer();
      note_missing();
      result_.read_from = module_.owner == layer_->attention ? "" : module_.owner;
    }
    sort_the_rest();
    for (const Found& module : modules_)
      result_.modules.push_back(module.owner.substr(0, module.owner.size() - !module.owner.empty()));
    return std::move(result_);
  }

private:
  /// An attention module: what stands before its names, and whose they are.
  struct Found {
    std::string owner;
    std::size_t row = 0;
    auto operator<=>(const Found&) const = default;
  };

  void take(std::string name, std::size_t entry, bool transposed, std::optional<std::size_t> third = {}) {
    result_.tensors.push_back({std::move(name), entry, transposed, third});
    taken_[entry] = true;
  }

  void own_names() {
    for (std::size_t i = 0; i < entries_.size(); ++i)
      if (std::ranges::count(page_names_, entries_[i].name)) take(entries_[i].name, i, false);
  }

  /// The module that a projection of q, k or v belongs to.
  std::optional<Found> module_of(std::size_t i) const {
    const std::string_view name = names_[i];
    for (const char* in_one : {"in_proj_weight", "in_proj_bias"})
      if (ends_as(name, in_one))
        return Found{std::string(name.substr(0, name.size() - std::string_view(in_one).size())), torch_row};
    const auto& all = attention_names();
    for (std::size_t row = 0; row < all.size(); ++row)
      for (const std::string_view projection : all[row].projections) {
        const auto member = member_of(name, projection);
        // A bare name is a word like any other: it has to be a matrix.
        if (member && (member->kind != Kind::bare || entries_[i].shape.size() == 2))
          return Found{std::string(member->owner), row};
      }
    return std::nullopt;
  }

  void find_modules() {
    for (std::size_t i = 0; i < entries_.size(); ++i)
      if (const auto module = taken_[i] ? std::nullopt : module_of(i)) modules_.insert(*module);
  }

  void attention() {
    const AttentionNames& names = attention_names()[module_.row];
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const std::string_view name = names_[i];
      if (taken_[i] || !name.starts_with(module_.owner) || !entries_[i].is_read()) continue;
      const std::string_view own = name.substr(module_.owner.size());
      if (module_.row == torch_row && (own == "in_proj_weight" || own == "in_proj_bias")) {
        const bool weights = own == "in_proj_weight";
        for (std::size_t third = 0; third < 3; ++third)
          take((weights ? "W_" : "b_") + std::string(letters[third]), i, weights, third);
        continue;
      }
      for (std::size_t letter = 0; letter < 3; ++letter) take_as(i, own, names.projections[letter], letter);
      for (const std::string_view output : names.output) {
        if (take_as(i, own, output, 3) && output == "o_proj") result_.is_rotary = true;
      }
    }
  }

  bool take_as(std::size_t i, std::string_view own, std::string_view member, std::size_t letter) {
    const auto found = member_of(own, member);
    if (!found || !found->owner.empty() || taken_[i]) return false;
    // nn.MultiheadAttention's q_proj_weight is a weight of nn.Linear's, whatever its name lacks.
    const bool transposed =
        found->kind == Kind::weight || (found->kind == Kind::bare && module_.row == torch_row);
    take((found->kind == Kind::bias ? "b_" : "W_") + std::string(letters[letter]), i, transposed);
    return true;
  }

  /// What stands before the names of the layer that the attention is a part of.
  std::string layer_prefix(const LayerNames& names) const {
    const std::string& owner = module_.owner;
    return ends_as(std::string_view(owner), names.attention)
               ? owner.substr(0, owner.size() - names.attention.size())
               : owner;
  }

  /// Where a layer's parameters stand in the file, in the order of layer_parameters.
  std::array<std::optional<std::size_t>, layer_parameters.size()> places_of(const LayerNames& names) const {
    std::array<std::optional<std::size_t>, layer_parameters.size()> places;
    const std::string prefix = layer_prefix(names);
    for (std::size_t i = 0; i < names_.size(); ++i)
      for (std::size_t p = 0; p < layer_parameters.size(); ++p)
        if (!taken_[i] && entries_[i].is_read() && names_[i] == prefix + std::string(names.theirs[p]))
          places[p] = i;
    return places;
  }

  /// By the names of the program that has most of them, the first of equals.
  void layer() {
    std::ptrdiff_t most = 0;
    for (const LayerNames& names : layer_names) {
      const auto places = places_of(names);
      const std::ptrdiff_t found =
          std::ranges::count_if(places, [](const auto& place) { return place.has_value(); });
      if (found > most) most = found, layer_ = &names;
    }
    const auto places = places_of(*layer_);
    for (std::size_t p = 0; p < places.size(); ++p)
      if (places[p])
        take(std::string(layer_parameters[p]), *places[p], layer_parameters[p].starts_with("W_"));
    result_.of_torch_layer = layer_ == &layer_names[torch_row] && has("gain_1");
    if (most > 0) result_.program = layer_->program;
  }

  bool has(const std::string& name) const {
    return std::ranges::count(result_.tensors, name, &PageTensor::name) > 0;
  }

  /// As the module's program calls it.
  std::string their_name(const std::string& ours) const {
    const AttentionNames& names = attention_names()[module_.row];
    const std::size_t letter = static_cast<std::size_t>(
        std::ranges::find(letters, std::string_view(ours).substr(2)) - letters.begin());
    if (letter == letters.size()) {
      const auto place = std::ranges::find(layer_parameters, ours) - layer_parameters.begin();
      return layer_prefix(*layer_) + std::string(layer_->theirs[static_cast<std::size_t>(place)]);
    }
    if (letter < 3 && module_.row == torch_row)
      return module_.owner + (ours[0] == 'b' ? "in_proj_bias" : std::string(names.projections[letter]));
    return module_.owner + std::string(letter < 3 ? names.projections[letter] : names.output[0]) +
           (ours[0] == 'b' ? ".bias" : ".weight");
  }

  /// All or none of these.
  void require_together(const Names& biases) {
    if (std::ranges::none_of(biases, [&](const std::string& name) { return has(name); })) return;
    for (const std::string& name : biases) lacks(name);
  }

  void lacks(const std::string& name) {
    if (has(name)) return;
    const std::string theirs = their_name(name);
    if (!std::ranges::count(result_.missing, theirs)) result_.missing.push_back(theirs);
  }

  void note_missing() {
    const bool is_layer = lesson_.takes(Input::feed_forward), has_output = lesson_.takes(Input::heads);
    for (const char* name : {"W_Q", "W_K", "W_V"}) lacks(name);
    if (has_output) lacks("W_O");
    Names biases{"b_Q", "b_K", "b_V"};
    if (has_output || has("W_O")) biases.emplace_back("b_O");
    if (!is_layer) {
      if (attention_names()[module_.row].biases_together) require_together(biases);
      return;
    }
    for (const char* name : {"W_1", "W_2", "gain_1", "gain_2"}) lacks(name);
    if (result_.of_torch_layer) {
      for (const char* name : {"b_1", "b_2", "shift_1", "shift_2"}) biases.emplace_back(name);
      return require_together(biases);
    }
    if (attention_names()[module_.row].biases_together) require_together(biases);
    require_together({"b_1", "b_2"}), require_together({"shift_1", "shift_2"});
  }

  /// Whether it has the sizes of the module's tensors, as bias_k (1, 1, d) has.
  bool has_size_of_module(const Shape& shape) const {
    std::set<std::size_t> sizes;
    for (const PageTensor& tensor : result_.tensors)
      sizes.insert(entries_[tensor.entry].shape.begin(), entries_[tensor.entry].shape.end());
    const auto first = std::ranges::find_if(shape, [](std::size_t extent) { return extent != 1; });
    return first != shape.end() &&
           std::all_of(first, shape.end(), [&](std::size_t extent) { return sizes.contains(extent); });
  }

  bool belongs_to_module(std::size_t i) const {
    if (modules_.size() != 1 || is_mask(names_[i])) return false;
    if (entries_[i].shape.empty()) return false; // a README, a count of batches: no weights
    const std::string prefix = lesson_.takes(Input::feed_forward) ? layer_prefix(*layer_) : module_.owner;
    if (!prefix.empty()) return names_[i].starts_with(prefix);
    return names_[i].find('.') != std::string::npos || has_size_of_module(entries_[i].shape);
  }

  void sort_the_rest() {
    for (std::size_t i = 0; i < entries_.size(); ++i)
      if (!taken_[i]) (belongs_to_module(i) ? result_.left_over : result_.unknown).push_back(i);
  }

  const std::vector<TensorFile::Entry>& entries_;
  const InputRules& lesson_;
  const Names& page_names_;
  Names names_; ///< of the entries, without wrappers
  std::vector<bool> taken_;
  std::set<Found> modules_;
  Found module_;
  const LayerNames* layer_ = &layer_names[torch_row];
  StateDict result_;
};

} // namespace

StateDict state_dict_of(const TensorFile& file, const InputRules& lesson, const Names& page_names) {
  return Reader(file, lesson, page_names).read();
}

bool is_in_encoder_layer(std::string_view module) {
  return std::ranges::any_of(layer_names, [&](const LayerNames& names) {
    return ends_as(module, names.attention.substr(0, names.attention.size() - 1));
  });
}

std::string known_attention_names() {
  Names all{"in_proj_weight/out_proj"};
  for (const AttentionNames& one : attention_names()) {
    std::string names;
    for (const std::string_view name : one.projections) names += std::string(name) + "/";
    all.push_back(names + std::string(one.output[0]));
  }
  return join(all, ", ");
}

} // namespace tfx
