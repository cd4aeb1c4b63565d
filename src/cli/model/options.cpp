#include "cli/model/options.hpp"

#include "model/config.hpp"

namespace tfx {

const Choices<WeightInit>& weight_inits() {
  static const Choices<WeightInit> all{
      {"xavier-uniform", WeightInit::xavier_uniform}, {"xavier", WeightInit::xavier}, {"he", WeightInit::he}};
  return all;
}

namespace {

bool is_drawn(const WeightsFrom& weights) {
  return weights == WeightsFrom::drawn;
}
bool is_partly_drawn(const WeightsFrom& weights) {
  return weights != WeightsFrom::given;
}

} // namespace

const std::vector<Option<ModelOptions, WeightsFrom>>& model_options() {
  using O = ModelOptions;
  using Row = Option<O, WeightsFrom>;
  static const std::vector<Row> table{
      Row("--preset", &O::preset, value::one_of(preset_names()), "toy").when(is_drawn),
      Row("--text", &O::text, value::text("TEXT")).without({"--src"}).described("model--text"),
      {"--src", &O::src, value::text("IDS[;IDS]")},
      {"--tgt", &O::tgt, value::text("IDS[;IDS]")},
      {"--pad-id", &O::pad_id, value::id()},
      Row("--layers", &O::layers, value::count(1, 1000)).when(is_drawn),
      Row("--d-model", &O::d_model, value::count()).when(is_drawn),
      {"--heads", &O::heads, value::count()},
      Row("--d-ff", &O::d_ff, value::count()).when(is_drawn),
      Row("--vocab", &O::vocab, value::count()).when(is_partly_drawn),
      Row("--src-vocab", &O::src_vocab, value::count()).when(is_partly_drawn),
      Row("--tgt-vocab", &O::tgt_vocab, value::count()).when(is_partly_drawn),
      {"--norm", &O::norm, value::choice(norm_rules<NormRule>()), NormRule::annotated},
      {"--norm-first", &O::placement, NormPlacement::pre_norm},
      Row("--norm-last", &O::placement, NormPlacement::post_norm).without({"--norm-first"}),
      Row("--weights", &O::weights, value::text("FILE|NAME")).described("model--weights"),
      Row("--embeddings", &O::embeddings, value::text("FILE")).beside({"--weights"}),
      Row("--seed", &O::seed, value::seed(), 42).when(is_partly_drawn),
      Row("--init", &O::init, value::choice(weight_inits()), WeightInit::xavier_uniform)
          .when(is_partly_drawn)};
  return table;
}

} // namespace tfx
