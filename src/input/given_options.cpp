#include "input/given_options.hpp"

namespace tfx {

namespace {

bool every(const InputRules&) {
  return true;
}
bool has_gradients(const InputRules& lesson) {
  return lesson.stage != Stage::targets && lesson.stage != Stage::decoding;
}
bool has_words(const InputRules& lesson) { // the targets of a beam are drawn
  return lesson.stage != Stage::targets;
}
bool takes_tokens(const InputRules& lesson) { // embed makes them
  return has_words(lesson) && lesson.stage != Stage::tokens;
}
bool takes_triple(const InputRules& lesson) {
  return lesson.stage == Stage::projections || lesson.stage == Stage::attention ||
         lesson.stage == Stage::heads;
}
bool has_parameters(const InputRules& lesson) {
  return has_words(lesson) && lesson.stage != Stage::vectors;
}
bool takes_widths(const InputRules& lesson) { // a layer's follow from d_model and its heads
  return takes_tokens(lesson) && has_parameters(lesson) && lesson.stage != Stage::layer;
}
bool masks(const InputRules& lesson) {
  return lesson.masks();
}
bool has_heads(const InputRules& lesson) {
  return lesson.stage == Stage::heads || lesson.stage == Stage::layer;
}
bool has_memory(const InputRules& lesson) {
  return lesson.stage == Stage::memory;
}
bool is_layer(const InputRules& lesson) {
  return lesson.stage == Stage::layer;
}
bool has_loss(const InputRules& lesson) {
  return lesson.stage == Stage::loss;
}

struct Option {
  const char* name;
  bool given;
  bool (*read_by)(const InputRules&);
};

std::vector<Option> all_options(const InputOptions& options) {
  // Names every member: one more does not compile until it has a name here, and its line below.
  const auto& [tutorial, text, words, x, q, k, v, mask, weights, memory, d_model, heads, batch, n_q, n_k, d_k,
               d_v, pad, d_ff, pad_id, seed, init, norm, norm_first, dropout, logits, labels, smoothing,
               causal, grad, masked_row] = options;
  return {{"--tutorial", tutorial.has_value(), has_words},
          {"--text", text.has_value(), has_words},
          {"--words", words.has_value(), takes_tokens},
          {"--x", x.has_value(), takes_tokens},
          {"--q", q.has_value(), takes_triple},
          {"--k", k.has_value(), takes_triple},
          {"--v", v.has_value(), takes_triple},
          {"--mask", mask.has_value(), masks},
          {"--weights", weights.has_value(), has_parameters},
          {"--d-model", d_model.has_value(), has_words},
          {"--heads", heads.has_value(), has_heads},
          {"--batch", batch.has_value(), takes_tokens},
          {"--n-q", n_q.has_value(), takes_tokens},
          {"--n-k", n_k.has_value(), takes_tokens},
          {"--d-k", d_k.has_value(), takes_widths},
          {"--d-v", d_v.has_value(), takes_widths},
          {"--seed", seed.has_value(), every},
          {"--init", init.has_value(), has_words},
          {"--causal", causal, masks},
          {"--pad", pad.value_or(0) > 0, masks},
          {"--on-masked-row", masked_row != FullyMaskedRow::zero, masks},
          {"--grad", grad, has_gradients},
          {"--memory", memory.has_value(), has_memory},
          {"--logits", logits.has_value(), has_loss},
          {"--labels", labels.has_value(), has_loss},
          {"--smoothing", smoothing.has_value(), has_loss},
          {"--pad-id", pad_id.has_value(), has_loss},
          {"--d-ff", d_ff.has_value(), is_layer},
          {"--norm", norm.has_value(), is_layer},
          {norm_first.value_or(true) ? "--norm-first" : "--norm-last", norm_first.has_value(), is_layer},
          {"--dropout", dropout.has_value(), is_layer}};
}

} // namespace

std::vector<GivenOption> given_options(const InputOptions& options) {
  std::vector<GivenOption> given;
  for (const Option& option : all_options(options))
    if (option.given) given.push_back({option.name, option.read_by});
  return given;
}

std::vector<GivenOption> unread_options(const InputOptions& options, const InputRules& rules) {
  std::vector<GivenOption> unread = given_options(options);
  std::erase_if(unread, [&](const GivenOption& option) { return option.read_by(rules); });
  return unread;
}

} // namespace tfx
