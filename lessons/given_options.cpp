#include "lessons/given_options.hpp"

namespace tfx {

namespace {

bool every(const Lesson&) {
  return true;
}
bool takes_tokens(const Lesson& lesson) { // embed makes them
  return lesson.stage != Stage::tokens;
}
bool takes_triple(const Lesson& lesson) {
  return lesson.stage == Stage::projections || lesson.stage == Stage::attention ||
         lesson.stage == Stage::heads;
}
bool has_parameters(const Lesson& lesson) {
  return lesson.stage != Stage::vectors;
}
bool takes_widths(const Lesson& lesson) { // a layer's follow from d_model and its heads
  return takes_tokens(lesson) && has_parameters(lesson) && lesson.stage != Stage::layer;
}
bool masks(const Lesson& lesson) {
  return lesson.masks;
}
bool has_heads(const Lesson& lesson) {
  return lesson.stage == Stage::heads || lesson.stage == Stage::layer;
}
bool has_memory(const Lesson& lesson) {
  return lesson.stage == Stage::memory;
}
bool is_layer(const Lesson& lesson) {
  return lesson.stage == Stage::layer;
}
bool has_loss(const Lesson& lesson) {
  return lesson.stage == Stage::loss;
}

struct Option {
  const char* name;
  bool given;
  bool (*read_by)(const Lesson&);
};

std::vector<Option> all_options(const InputOptions& options) {
  // Names every member: one more does not compile until it has a name here, and its line below.
  const auto& [tutorial, text, words, x, q, k, v, mask, weights, memory, d_model, heads, batch, n_q, n_k, d_k,
               d_v, pad, d_ff, pad_id, seed, init, norm, norm_first, dropout, logits, labels, smoothing,
               causal, grad, blocked_row] = options;
  return {{"--tutorial", tutorial.has_value(), every},
          {"--text", text.has_value(), every},
          {"--words", words.has_value(), takes_tokens},
          {"--x", x.has_value(), takes_tokens},
          {"--q", q.has_value(), takes_triple},
          {"--k", k.has_value(), takes_triple},
          {"--v", v.has_value(), takes_triple},
          {"--mask", mask.has_value(), masks},
          {"--weights", weights.has_value(), has_parameters},
          {"--d-model", d_model.has_value(), every},
          {"--heads", heads.has_value(), has_heads},
          {"--batch", batch.has_value(), takes_tokens},
          {"--n-q", n_q.has_value(), takes_tokens},
          {"--n-k", n_k.has_value(), takes_tokens},
          {"--d-k", d_k.has_value(), takes_widths},
          {"--d-v", d_v.has_value(), takes_widths},
          {"--seed", seed.has_value(), every},
          {"--init", init.has_value(), every},
          {"--causal", causal, masks},
          {"--pad", pad.value_or(0) > 0, masks},
          {"--on-masked-row", blocked_row != BlockedRow::zero, masks},
          {"--grad", grad, every},
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
  std::vector<GivenOption> all;
  for (const Option& option : all_options(options)) {
    if (!option.given) continue;
    all.push_back({option.name, {}});
    for (const Lesson& lesson : lessons())
      if (option.read_by(lesson)) all.back().readers.push_back(lesson.command);
  }
  return all;
}

} // namespace tfx
