#include "input/options.hpp"

#include "core/choices.hpp"
#include "input/subword_input.hpp"

namespace tfx {

namespace {

bool cuts_text(const InputRules& lesson) {
  return lesson.stage == Stage::subwords;
}
bool has_gradients(const InputRules& lesson) {
  return !cuts_text(lesson) && lesson.stage != Stage::choice && lesson.stage != Stage::decoding &&
         lesson.stage != Stage::model && lesson.stage != Stage::sizes;
}
bool has_words(const InputRules& lesson) { // one step of decoding begins with its logits; a model is drawn
  return lesson.stage != Stage::choice && lesson.stage != Stage::model && lesson.stage != Stage::sizes &&
         !cuts_text(lesson);
}
bool takes_text(const InputRules& lesson) {
  return has_words(lesson) || cuts_text(lesson);
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
bool runs_on_model(const InputRules& lesson) {
  return lesson.from_model;
}
bool looks_at_layer(const InputRules& lesson) { // words and their places come before the first
  return runs_on_model(lesson) && lesson.stage != Stage::vectors && lesson.stage != Stage::tokens;
}
bool looks_at_head(const InputRules& lesson) {
  return looks_at_layer(lesson) && lesson.stage != Stage::heads && lesson.stage != Stage::layer;
}
bool masks(const InputRules& lesson) {
  return lesson.masks();
}
bool may_be_causal(const InputRules& lesson) {
  return lesson.may_be_causal();
}
bool counts(const InputRules& lesson) {
  return lesson.stage == Stage::sizes;
}
bool is_drawn(const InputRules& lesson) { // sizes are whole numbers that somebody chose
  return !counts(lesson) && !cuts_text(lesson);
}
bool is_model(const InputRules& lesson) {
  return lesson.stage == Stage::model || counts(lesson);
}
bool takes_model_width(const InputRules& lesson) {
  return has_words(lesson) || is_model(lesson);
}
bool drops(const InputRules& lesson) {
  return lesson.stage == Stage::heads || lesson.stage == Stage::layer;
}
bool has_heads(const InputRules& lesson) {
  return drops(lesson) || is_model(lesson);
}
bool has_memory(const InputRules& lesson) {
  return lesson.stage == Stage::memory;
}
bool is_layer(const InputRules& lesson) {
  return lesson.stage == Stage::layer;
}
bool has_layers(const InputRules& lesson) {
  return is_layer(lesson) || is_model(lesson);
}
bool normalizes(const InputRules& lesson) {
  return has_layers(lesson) && !counts(lesson);
}
bool has_labels(const InputRules& lesson) {
  return lesson.has_labels();
}
bool chooses(const InputRules& lesson) {
  return lesson.stage == Stage::choice;
}
bool takes_logits(const InputRules& lesson) {
  return lesson.stage == Stage::loss || chooses(lesson);
}
bool trains(const InputRules& lesson) {
  return lesson.stage == Stage::training;
}
bool is_causal(const InputRules& lesson) {
  return lesson.causal_by_default();
}

std::vector<std::string> counts_from(std::size_t first, std::size_t last) {
  std::vector<std::string> counts;
  for (; first <= last; ++first) counts.push_back(std::to_string(first));
  return counts;
}

} // namespace

const std::vector<Option<InputOptions, InputRules>>& input_options() {
  using O = InputOptions;
  using Row = Option<InputOptions, InputRules>;
  const std::vector<std::pair<std::string, Init>> inits{{"randint", Init::randint},
                                                        {"normal", Init::normal},
                                                        {"xavier", Init::xavier},
                                                        {"xavier-uniform", Init::xavier_uniform},
                                                        {"he", Init::he}};
  const std::vector<std::pair<std::string, FullyMaskedRow>> masked_rows{
      {"zero", FullyMaskedRow::zero}, {"nan", FullyMaskedRow::nan}, {"error", FullyMaskedRow::error}};
  const std::vector<std::pair<std::string, CausalAlign>> aligns{{"upper-left", CausalAlign::upper_left},
                                                                {"lower-right", CausalAlign::lower_right}};
  const std::vector<std::pair<std::string, Optimizer>> optimizers{
      {"sgd", Optimizer::sgd}, {"adam", Optimizer::adam}, {"adamw", Optimizer::adamw}};
  const std::vector<std::pair<std::string, page::Activation>> activations{
      {"relu", page::Activation::relu}, {"gelu", page::Activation::gelu}, {"silu", page::Activation::silu}};
  constexpr double max_number = 1e6;
  static const std::vector<Row> table{
      Row("--tutorial", &O::tutorial, value::text("ID[:VARIANT]")).when(has_words).inert(),
      Row("--text", &O::text, value::text("TEXT")).when(takes_text).with("--model"),
      Row("--source", &O::source, value::text("TEXT")).when(has_memory).without({"--n-k"}),
      Row("--words", &O::words, value::text("FILE")).when(takes_tokens),
      Row("--x", &O::x, value::text("FILE")).when(takes_tokens),
      Row("--q", &O::q, value::text("FILE")).when(takes_triple),
      Row("--k", &O::k, value::text("FILE")).when(takes_triple),
      Row("--v", &O::v, value::text("FILE")).when(takes_triple),
      Row("--mask", &O::mask, value::text("FILE")).when(masks).with("--model"),
      Row("--weights", &O::weights, value::text("FILE")).when(has_parameters),
      Row("--draw-rest", &O::draw_rest).when(has_parameters).beside({"--weights"}),
      Row("--model", &O::model, value::text("FILE|NAME")).when(runs_on_model).described("lesson--model"),
      Row("--layer", &O::layer, value::count(0)).when(looks_at_layer).beside({"--model"}),
      Row("--head", &O::head, value::count(0)).when(looks_at_head).beside({"--model"}),
      Row("--d-model", &O::d_model, value::count()).when(takes_model_width),
      Row("--heads", &O::heads, value::count())
          .when(has_heads)
          .also(runs_on_model, "--model")
          .tried(counts_from(1, 16)),
      Row("--batch", &O::batch, value::count()).when(takes_tokens),
      Row("--n-q", &O::n_q, value::count()).when(takes_tokens),
      Row("--n-k", &O::n_k, value::count()).when(takes_tokens),
      Row("--d-k", &O::d_k, value::count()).when(takes_widths),
      Row("--d-v", &O::d_v, value::count()).when(takes_widths),
      Row("--seed", &O::seed, value::seed())
          .when(is_drawn)
          .usually(std::to_string(tutorial_seed))
          .with("--model"),
      Row("--init", &O::init, value::choice(inits)).when(has_words),
      Row("--causal", &O::causal).when(may_be_causal).with("--model").usually("", is_causal).tried({""}),
      Row("--causal-align", &O::causal_align, value::choice(aligns))
          .when(may_be_causal)
          .tried({"upper-left", "lower-right"}),
      Row("--pad", &O::pad, value::count(0))
          .when(masks)
          .with("--model")
          .usually("0")
          .tried(counts_from(0, 4)),
      Row("--on-masked-row", &O::masked_row, value::choice(masked_rows))
          .when(masks)
          .with("--model")
          .inert() // of a mask that hides all of a row, which no tutorial has
          .tried({"nan"}),
      Row("--grad", &O::grad).when(has_gradients).with("--model").inert(),
      Row("--memory", &O::memory, value::text("FILE")).when(has_memory),
      Row("--logits", &O::logits, value::text("FILE")).when(takes_logits),
      Row("--labels", &O::labels, value::labels()).when(has_labels),
      Row("--smoothing", &O::smoothing, value::share("S")).when(has_labels).usually("0").tried({"0", "0.1"}),
      Row("--pad-id", &O::pad_id, value::id()).when(has_labels),
      Row("--optimizer", &O::optimizer, value::choice(optimizers)).when(trains),
      Row("--lr", &O::learning_rate, value::number("R", 0, max_number)).when(trains),
      Row("--weight-decay", &O::weight_decay, value::number("W", 0, max_number)).when(trains),
      Row("--temperature", &O::temperature, value::number("T", 0.001, 1000)).when(chooses).usually("1"),
      Row("--top-k", &O::top_k, value::count()).when(chooses),
      Row("--top-p", &O::top_p, value::number("P", 0.001, 1)).when(chooses),
      Row("--merges", &O::merges, value::count(1, max_lesson_merges))
          .when(cuts_text)
          .described("lesson--merges"),
      Row("--word", &O::word, value::text("WORD")).when(cuts_text),
      Row("--d-ff", &O::d_ff, value::count()).when(has_layers),
      Row("--layers", &O::layers, value::count(1, 1000)).when(counts),
      Row("--vocab", &O::vocab, value::count()).when(counts),
      Row("--seq", &O::seq, value::count()).when(counts),
      Row("--norm", &O::norm, value::choice(norm_rules<page::NormRule>()))
          .when(normalizes)
          .also(runs_on_model, "--model")
          .usually("annotated")
          .tried({"annotated", "standard"}),
      Row("--norm-first", &O::norm_first, true)
          .when(normalizes)
          .also(runs_on_model, "--model")
          .usually("")
          .tried({""}),
      Row("--norm-last", &O::norm_first, false)
          .when(normalizes)
          .also(runs_on_model, "--model")
          .without({"--norm-first"})
          .tried({""}),
      Row("--activation", &O::activation, value::choice(activations))
          .when(is_layer)
          .also(runs_on_model, "--model")
          .usually("relu")
          .tried({"relu", "gelu", "silu"}),
      Row("--dropout", &O::dropout, value::share("P")).when(drops).with("--model").usually("0")};
  return table;
}

} // namespace tfx
