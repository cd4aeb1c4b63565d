// What a JSON document of `tfx params` has of a model: the tree of its modules, and beside it what a
// configuration and an index say.

#include "cli/params/report.hpp"

namespace tfx {

using namespace params;

namespace {

Count whole(const Figure& figure) {
  return {figure.value()};
}

Nested nested(ReportTable table) {
  return {std::make_shared<const ReportTable>(std::move(table))};
}

const std::vector<std::string> count_columns{
    "buffers",          "macs",         "flops",          "hook_macs",
    "activation_bytes", "weight_bytes", "gradient_bytes", "adam_bytes"};

/// What no checkpoint says is null.
struct Counting {
  std::uint64_t bytes;
  bool computes;

  void add(std::vector<Cell>& row, const Totals& sum) const {
    const auto work = [&](const Figure& figure) { return computes ? Cell(whole(figure)) : Cell(None()); };
    const std::uint64_t weights = sum.parameters.value() * bytes;
    for (const Cell& cell :
         {Cell(whole(sum.buffers)), work(sum.macs), work(sum.flops()), work(sum.hook),
          work(sum.cells * bytes), Cell(Count{weights}), Cell(Count{weights}), Cell(Count{2 * weights})})
      row.push_back(cell);
  }
};

Nested own_tensors(const Module& module, const std::string& prefix) {
  ReportTable table{.name = "tensors", .columns = {"name", "shape", "kind", "tied_to"}, .shown = {}};
  for (const TensorSpec& tensor : module.tensors)
    table.rows.push_back({join(prefix, tensor.name), extents(tensor),
                          tensor.kind == TensorKind::buffer ? "buffer" : "parameter",
                          text_or_none(tensor.tied_to)});
  return nested(std::move(table));
}

Nested children_of(const std::shared_ptr<const Module>& parent, const std::string& prefix,
                   const Counting& counting) {
  ReportTable table{.name = "children", .columns = {"name", "parameters", "formula"}, .shown = {}};
  table.columns.insert(table.columns.end(), count_columns.begin(), count_columns.end());
  table.columns.insert(table.columns.end(), {"tensors", "children"});
  table.made.count = parent->children.size();
  table.made.row = [=](std::size_t i) {
    const std::shared_ptr<const Module> child(parent, &parent->children[i]);
    const std::string name = join(prefix, child->name);
    const Totals sum = totals(*child);
    std::vector<Cell> row{name, whole(sum.parameters), sum.parameters.formula()};
    counting.add(row, sum);
    row.push_back(own_tensors(*child, name)), row.push_back(children_of(child, name, counting));
    return row;
  };
  return nested(std::move(table));
}

Cell cache_of(const std::optional<ModelShape>& shape, std::uint64_t bytes) {
  const std::optional<KvCache> cache = shape ? kv_cache(*shape) : std::nullopt;
  if (!cache) return None();
  return Object{{{"heads", Count{shape->key_heads()}},
                 {"numbers_of_a_token", whole(cache->each)},
                 {"formula", cache->each.formula()},
                 {"bytes_of_a_token", whole(cache->each * bytes)},
                 {"tokens", whole(cache->tokens)},
                 {"bytes", whole(cache->all * bytes)},
                 {"bytes_without_groups", whole(cache->without_groups * bytes)}}};
}

/// What a configuration said, and what its class added.
Cell config_of(const std::optional<ConfigFile>& config) {
  if (!config) return None();
  ReportTable defaults{.name = "defaults", .columns = {"field", "value"}, .shown = {}};
  for (const TakenDefault& one : config->defaults) defaults.rows.push_back({one.field, one.value});
  return Object{{{"model_type", config->model_type},
                 {"counted_as", config->counted_as},
                 {"other_class", text_or_none(config->other_class)},
                 {"defaults", nested(std::move(defaults))}}};
}

Cell index_of(const std::optional<WeightIndex>& index) {
  if (!index) return None();
  ReportTable tensors{.name = "tensors", .columns = {"name", "file"}, .shown = {}};
  for (const WeightIndex::Tensor& one : index->tensors) tensors.rows.push_back({one.name, one.file});
  return Object{{{"file", index->path},
                 {"bytes", index->bytes ? Cell(Count{*index->bytes}) : Cell(None())},
                 {"files", Count{index->files}},
                 {"tensors", nested(std::move(tensors))}}};
}

/// What a count was made with; none where nobody knows, or there are no words.
Cell size_of_vocabulary(const std::optional<ModelShape>& shape, std::uint64_t ModelShape::*vocabulary) {
  if (!shape || shape->family == Family::resnet18) return None();
  return Count{*shape.*vocabulary};
}

} // namespace

Shape extents(const TensorSpec& tensor) {
  Shape shape;
  for (const Figure& extent : tensor.shape) shape.push_back(extent.value());
  return shape;
}

ReportTable models_table(std::vector<Counted> models, Precision precision) {
  ReportTable table{.name = "models", .columns = {"name", "total", "src_vocab", "tgt_vocab"}, .shown = {}};
  table.columns.insert(table.columns.end(), count_columns.begin(), count_columns.end());
  table.columns.insert(table.columns.end(), {"kv_cache", "config", "index", "tensors", "modules"});
  table.made.count = models.size();
  table.made.row = [all = std::make_shared<const std::vector<Counted>>(std::move(models)),
                    precision](std::size_t i) {
    const Counted& model = (*all)[i];
    const Counting counting{bytes_of(precision), model.shape.has_value()};
    std::vector<Cell> row{model.name, whole(model.sum.parameters),
                          size_of_vocabulary(model.shape, &ModelShape::src_vocab),
                          size_of_vocabulary(model.shape, &ModelShape::tgt_vocab)};
    counting.add(row, model.sum);
    row.push_back(cache_of(model.shape, counting.bytes));
    row.push_back(config_of(model.config)), row.push_back(index_of(model.index));
    row.push_back(own_tensors(model.root, ""));
    row.push_back(children_of(std::shared_ptr<const Module>(all, &model.root), "", counting));
    return row;
  };
  return table;
}

ReportTable index_table(const Counted& model) {
  return {.name = "models",
          .columns = {"name", "total", "index"},
          .shown = {},
          .rows = {{model.name, None(), index_of(model.index)}}};
}

} // namespace tfx
