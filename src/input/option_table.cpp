#include "input/options.hpp"

#include "core/choices.hpp"
#include "input/subword_input.hpp"

namespace tfx {

namespace {

using enum Input;

bool has_gradients(const InputRules& lesson) {
  return takes<X, token_ids, begun>(lesson) && !lesson.takes(cache);
}
bool takes_widths(const InputRules& lesson) { // a layer's follow from d_model and its heads
  return lesson.takes(W_QKV) && !takes<feed_forward, todays_block>(lesson);
}
bool turns_alone(const InputRules& lesson) { // a block's pairs are Llama's, or its file's
  return lesson.takes(rotary) && !lesson.takes(todays_block);
}
bool has_tutorial(const InputRules& lesson) {
  return takes<X, token_ids, begun>(lesson) && !lesson.takes(todays_block);
}
bool runs_on_model(const InputRules& lesson) {
  return lesson.from_model;
}
bool reads_by_model(const InputRules& lesson) { // what is counted reads nothing
  return runs_on_model(lesson) && !lesson.takes(sizes);
}
bool looks_at_layer(const InputRules& lesson) { // words and their places come before the first
  return runs_on_model(lesson) && lesson.takes(W_QKV);
}
bool looks_at_head(const InputRules& lesson) {
  return looks_at_layer(lesson) && !takes<heads, todays_block>(lesson);
}
bool masks(const InputRules& lesson) {
  return lesson.masks();
}
bool may_be_causal(const InputRules& lesson) {
  return lesson.may_be_causal();
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
  const std::vector<std::pair<std::string, Activation>> activations{{"relu", Activation::relu},
                                                                    {"gelu", Activation::gelu},
                                                                    {"gelu_tanh", Activation::gelu_tanh},
                                                                    {"silu", Activation::silu}};
  const std::vector<std::pair<std::string, DropoutAt>> places{
      {"weights", DropoutAt::weights}, {"sublayers", DropoutAt::sublayers}, {"hidden", DropoutAt::hidden}};
  constexpr double max_number = 1e6;
  const LessonInput usual;
  static const std::vector<Row> table{
      Row("--tutorial", &O::tutorial, value::text("ID[:VARIANT]")).when(has_tutorial).inert(),
      Row("--text", &O::text, value::text("TEXT"))
          .when(takes<X, token_ids, subwords, begun, repeated, answer>)
          .with("--model")
          .also(reads_by_model, "--model"),
      Row("--source", &O::source, value::text("TEXT")).when(takes<memory>).without({"--n-k"}),
      Row("--words", &O::words, value::text("FILE")).when(takes<X>),
      Row("--x", &O::x, value::text("FILE")).when(takes<X>),
      Row("--q", &O::q, value::text("FILE")).when(takes<QKV, X_QKV>),
      Row("--k", &O::k, value::text("FILE")).when(takes<QKV, X_QKV>),
      Row("--v", &O::v, value::text("FILE")).when(takes<QKV, X_QKV>),
      Row("--mask", &O::mask, value::text("FILE")).when(masks).with("--model"),
      Row("--weights", &O::weights, value::text("FILE")).when(takes<W_QKV, token_ids>),
      Row("--draw-rest", &O::draw_rest).when(takes<W_QKV, token_ids>).beside({"--weights"}),
      Row("--model", &O::model, value::text("FILE|NAME")).when(runs_on_model).described("lesson--model"),
      Row("--from", &O::from, value::text("TEXT")).when(takes<answer>).with("--model"),
      Row("--place", &O::place, value::count(0)).when(takes<answer>).with("--model"),
      Row("--token", &O::token, value::text("TOKEN")).when(takes<answer>).with("--model"),
      Row("--against", &O::against, value::text("TOKEN")).when(takes<answer>).with("--model"),
      Row("--without", &O::left_out, value::names()).when(takes<answer>).with("--model"),
      Row("--patch", &O::patched, value::names()).when(takes<answer>).with("--model"),
      Row("--layer", &O::layer, value::count(0)).when(looks_at_layer).beside({"--model"}),
      Row("--head", &O::head, value::count(0), 0).when(looks_at_head).beside({"--model"}),
      Row("--d-model", &O::d_model, value::count()).when(takes<X, token_ids, sentences, sizes>),
      Row("--heads", &O::heads, value::count())
          .when(takes<heads, todays_block, sentences, sizes, repeated>)
          .also(runs_on_model, "--model")
          .tried(counts_from(1, 16)),
      Row("--batch", &O::batch, value::count()).when(takes<X>),
      Row("--n-q", &O::n_q, value::count()).when(takes<X>),
      Row("--n-k", &O::n_k, value::count()).when(takes<X>),
      Row("--d-k", &O::d_k, value::count()).when(takes_widths),
      Row("--d-v", &O::d_v, value::count()).when(takes_widths),
      Row("--seed", &O::seed, value::seed(), tutorial_seed)
          .when(takes<X, token_ids, sentences, sampling>)
          .with("--model"),
      Row("--init", &O::init, value::choice(inits)).when(takes<X, token_ids>),
      Row("--causal", &O::causal).when(may_be_causal).with("--model").usually(is_causal).tried({""}),
      Row("--causal-align", &O::causal_align, value::choice(aligns))
          .when(may_be_causal)
          .tried({"upper-left", "lower-right"}),
      Row("--pad", &O::pad, value::count(0)).when(masks).with("--model").tried(counts_from(0, 4)),
      Row("--on-masked-row", &O::masked_row, value::choice(masked_rows), usual.masked_row)
          .when(masks)
          .with("--model")
          .inert() // of a mask that hides all of a row, which no tutorial has
          .tried({"nan"}),
      Row("--grad", &O::grad).when(has_gradients).with("--model").inert(),
      Row("--memory", &O::memory, value::text("FILE")).when(takes<memory>),
      Row("--logits", &O::logits, value::text("FILE")).when(takes<logits>),
      Row("--labels", &O::labels, value::labels()).when(takes<labels>),
      Row("--smoothing", &O::smoothing, value::share("S"), usual.smoothing)
          .when(takes<labels>)
          .tried({"0", "0.1"}),
      Row("--pad-id", &O::pad_id, value::id()).when(takes<labels>),
      Row("--optimizer", &O::optimizer, value::choice(optimizers), usual.optimizer).when(takes<optimizer>),
      Row("--rotary", &O::pairs, value::choice(rotary_words()), usual.pairs)
          .when(turns_alone)
          .with("--model")
          .tried({"neighbours", "halves"}),
      Row("--rotary-base", &O::rotary_base, value::number("B", 1, 1e9), usual.rotary_base)
          .when(takes<rotary>)
          .with("--model")
          .tried({"10000", "500000", "1000000"}),
      Row("--kv-heads", &O::kv_heads, value::count()).when(takes<todays_block>).described("lesson--kv-heads"),
      Row("--window", &O::window, value::count())
          .when(takes<todays_block>)
          .with("--model")
          .described("lesson--window"),
      Row("--qk-norm", &O::qk_norm).when(takes<todays_block>).with("--model").tried({""}),
      Row("--as-2017", &O::as_2017, value::names()).when(takes<todays_block>).with("--model"),
      Row("--lr", &O::learning_rate, value::number("R", 0, max_number), usual.optimizer_step.learning_rate)
          .when(takes<optimizer>),
      Row("--weight-decay", &O::weight_decay, value::number("W", 0, max_number), usual_decay)
          .when(takes<optimizer>),
      Row("--temperature", &O::temperature, value::temperature(), usual.sampling.temperature)
          .when(takes<sampling>)
          .with("--model"),
      Row("--top-k", &O::top_k, value::count(), usual.sampling.top_k).when(takes<sampling>).with("--model"),
      Row("--top-p", &O::top_p, value::number("P", 0.001, 1), usual.sampling.top_p)
          .when(takes<sampling>)
          .with("--model"),
      Row("--merges", &O::merges, value::count(1, max_lesson_merges))
          .when(takes<subwords>)
          .described("lesson--merges"),
      Row("--word", &O::word, value::text("WORD")).when(takes<subwords>),
      Row("--d-ff", &O::d_ff, value::count())
          .when(takes<feed_forward, todays_block, sentences, sizes>)
          .described("lesson--d-ff"),
      Row("--layers", &O::layers, value::count(1, 1000)).when(takes<sizes>),
      Row("--vocab", &O::vocab, value::count()).when(takes<sizes>),
      Row("--seq", &O::seq, value::count()).when(takes<sizes>).with("--model"),
      Row("--norm", &O::norm, value::choice(page_norm_words()), usual.norm)
          .when(takes<norms, sentences>)
          .also(runs_on_model, "--model")
          .tried({"annotated", "standard"}),
      Row("--norm-first", &O::norm_first, true)
          .when(takes<norms, sentences>)
          .also(runs_on_model, "--model")
          .usually()
          .tried({""}),
      Row("--norm-last", &O::norm_first, false)
          .when(takes<norms, sentences>)
          .also(runs_on_model, "--model")
          .without({"--norm-first"})
          .tried({""}),
      Row("--norm-eps", &O::epsilon, value::number("E", 1e-12, 1))
          .when(takes<norms>)
          .tried({"1e-5", "1e-6", "1e-12"}),
      Row("--activation", &O::activation, value::choice(activations), usual.activation)
          .when(takes<feed_forward>)
          .also(runs_on_model, "--model")
          .tried({"relu", "gelu", "gelu_tanh", "silu"}),
      Row("--dropout", &O::dropout, value::share("P"), usual.dropout)
          .when(takes<heads, token_ids>)
          .with("--model"),
      Row("--dropout-at", &O::dropout_at, value::choice(places), usual.dropout_at)
          .when(takes<feed_forward>)
          .with("--model")};
  return table;
}

} // namespace tfx
