#include "lessons/given_style.hpp"

#include "words/in_words.hpp"

namespace tfx {

namespace {

bool says(const TensorFile& file, const char* key) {
  return file.metadata().contains(key);
}

Activation of_engine(page::Activation activation) {
  if (activation == page::Activation::silu) throw usage_error("model_silu", {});
  return activation == page::Activation::gelu ? Activation::gelu : Activation::relu;
}

} // namespace

GivenStyle given_style(const InputOptions& o, const TensorFile& file) {
  const auto require_unsaid = [&](const char* key, const std::string& option) {
    if (says(file, key)) throw usage_error("beside_model", {{"name", option}});
  };
  GivenStyle style;
  if (o.heads) require_unsaid("heads", "--heads"), style.heads = o.heads;
  if (o.norm) {
    require_unsaid("norm", "--norm");
    style.norm = *o.norm == page::NormRule::standard ? NormRule::standard : NormRule::annotated;
  }
  if (o.norm_first) {
    require_unsaid("placement", *o.norm_first ? "--norm-first" : "--norm-last");
    style.placement = *o.norm_first ? NormPlacement::pre_norm : NormPlacement::post_norm;
  }
  if (o.activation) require_unsaid("activation", "--activation"), style.activation = of_engine(*o.activation);
  return style;
}

std::string assumed_style(const InputOptions& o, const TensorFile& file, const Config& config) {
  std::string assumed;
  const NormStyle& norm = config.norm;
  if (!o.norm && !says(file, "norm")) assumed += " --norm " + word_of(norm_rules<NormRule>(), norm.rule);
  if (!o.norm_first && !says(file, "placement"))
    assumed += norm.placement == NormPlacement::pre_norm ? " --norm-first" : " --norm-last";
  if (!o.activation && !says(file, "activation"))
    assumed += std::string(" --activation ") + (config.activation == Activation::relu ? "relu" : "gelu");
  return assumed;
}

} // namespace tfx
