// A config.json or the index of a model in several files: what is counted of it, and how its model is
// computed.
#include "architecture/config_file.hpp"
#include "architecture/weight_index.hpp"
#include "fuzz.hpp"
#include "model/config_style.hpp"

namespace tfx::fuzz {

namespace {

using namespace params;

/// Tensors and formulas of a shape: a count that does not fit in 63 bits is refused.
void count(const ConfigFile& config) {
  constexpr std::uint64_t few = 3; // more layers are more of the same
  if (config.shape.layers > few || config.shape.layers_of_decoder() > few) return;
  const Module root = blueprint(config.shape);
  const Totals sum = totals(root);
  double cells = 0;
  for (const NamedTensor& one : tensors_of(root))
    if (one.tensor.kind == TensorKind::parameter) cells += elements(one.tensor).estimate();
  require(cells <= sum.parameters.estimate() * 1.000001 && sum.parameters.estimate() <= cells * 1.000001,
          "the whole is the sum of its tensors");
  if (cells < 1e18)
    require(static_cast<double>(sum.parameters.value()) <= cells * 1.000001, "no count wraps");
  if (const std::optional<KvCache> cache = kv_cache(config.shape))
    require(cache->all.estimate() <= cache->without_groups.estimate() * 1.000001, "groups save memory");
}

/// What a model is computed with is in its bounds.
void compute(const GivenStyle& style) {
  const auto within = [](const auto& value, auto most) { return !value || (*value > 0 && *value <= most); };
  require(within(style.heads, largest_size) && within(style.max_len, largest_size), "sizes are sizes");
  require(within(style.epsilon, 1.0) && within(style.rotary_base, 1e30), "no number is beyond its bound");
  require(style.family && style.activation, "a style has a family and an activation");
}

} // namespace

void one_input(std::string_view bytes) {
  const std::string name = "config.json";
  const auto document = read_or_refuse(name, [&] { return read_json(bytes, name); });
  if (!document) return;
  if (is_weight_index(*document)) {
    const auto index = read_or_refuse(name, [&] { return read_weight_index(*document, name); });
    if (index)
      require(totals(tree_of(*index)).tensors == index->tensors.size(), "every tensor stands in the tree");
    return;
  }
  const auto config = read_or_refuse(name, [&] { return read_config(*document, name); });
  if (config) count(*config);
  const auto style = read_or_refuse(name, [&] { return style_in_config(*document, name); });
  if (style) compute(*style);
}

} // namespace tfx::fuzz
