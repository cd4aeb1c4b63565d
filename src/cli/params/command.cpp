// tfx params: what models hold and cost, counted from their blueprints.

#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/lesson/screen.hpp"
#include "cli/params/int8.hpp"
#include "cli/params/options.hpp"
#include "cli/params/screen.hpp"
#include "core/number.hpp"
#include "io/message.hpp"
#include "lessons/run.hpp"
#include "model/model_spec.hpp"
#include "model/shipped.hpp"
#include "words/in_words.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tfx {

using namespace params;

namespace {

struct ParamsCommandOptions {
  ParamsOptions model;
  By by = By::module;
  bool json = false, no_time = false;
};

/// "V = 11", or "S = 100, T = 90": a count means nothing without it. Nothing where there are no words.
std::optional<std::string> vocabulary_of(const Counted& model) {
  if (!model.shape || model.shape->family == Family::resnet18) return std::nullopt;
  const ModelShape& s = *model.shape;
  if (s.one_vocabulary()) return fmt::format("V = {}", s.src_vocab);
  return fmt::format("S = {}{}T = {}", s.src_vocab, language() == Language::zh ? "，" : ", ", s.tgt_vocab);
}

/// "gpt2: V = 50257; bert-base: V = 30522".
std::string vocabularies_of(const std::vector<Counted>& models) {
  std::string list;
  for (const Counted& model : models)
    if (const auto vocabulary = vocabulary_of(model))
      list += (list.empty()                 ? ""
               : language() == Language::zh ? "；"
                                            : "; ") +
              model.name + (language() == Language::zh ? "：" : ": ") + *vocabulary;
  return list;
}

/// "d = 4096, f = 14336, d_kv = 8·128": the widths that the formulas name.
std::string widths_of(const ModelShape& s) {
  const Sizes sizes(s);
  std::string widths = fmt::format("d = {}", s.d_model);
  const auto add = [&](const std::string& text) {
    widths += (language() == Language::zh ? "，" : ", ") + text;
  };
  if (s.family != Family::attention_block) add(fmt::format("f = {}", s.d_ff));
  if (!(sizes.d_q == sizes.d)) add(fmt::format("d_q = {}·{}", s.heads, s.width_of_head()));
  if (!(sizes.d_kv == sizes.d_q)) add(fmt::format("d_kv = {}·{}", s.key_heads(), s.width_of_head()));
  if (!(sizes.d_e == sizes.d)) add(fmt::format("d_e = {}", s.embedding_width));
  return widths;
}

/// The sizes under the names the formulas use.
void state_sizes(Trace& trace, const Counted& model) {
  trace.facts["name"] = model.name;
  if (!model.shape) {
    trace.facts["file"] = model.name;
    return;
  }
  const ModelShape& s = *model.shape;
  const auto state = [&](const char* name, std::uint64_t value) {
    trace.facts[name] = std::to_string(value);
  };
  if (s.family == Family::resnet18) {
    trace.facts["image"] = std::string("3×224×224");
    trace.facts["images"] = fmt::format("{} × 3×224×224", s.batch);
    return;
  }
  state("h", s.heads);
  if (s.positions == Positions::none)
    trace.facts["placeless"] = model.name;
  else
    state("context", s.context);
  if (s.layers_of_decoder() == s.layers)
    state("N", s.layers);
  else
    state("N_encoder", s.layers), state("N_decoder", s.decoder_layers);
  trace.facts["widths"] = widths_of(s);
  const std::string vocabulary = *vocabulary_of(model);
  trace.facts["vocabulary"] = vocabulary;
  if (!has_two_stacks(s.family)) {
    state("V", s.src_vocab);
    trace.facts["reads"] = fmt::format("{} × {}", s.batch, s.seq);
    return;
  }
  trace.facts["vocab"] = vocabulary;
  if (s.family == Family::encoder_decoder && s.one_vocabulary() && s.src_vocab == copy_task_vocabulary)
    state("copy_ids", s.src_vocab);
  trace.facts["reads"] = fmt::format("{} × ({} + {})", s.batch, s.seq, s.tgt_seq);
}

/// What shows a matrix in 8 bits: the first of a file, one of a shipped model where a preset has no numbers.
std::optional<std::string> int8_command(const Counted& model) {
  const auto command = [](const std::string& name, const std::string& matrix) {
    return "tfx params " + shell_quoted(name) + " --int8 " + shell_quoted(matrix);
  };
  if (!model.shape) {
    for (const NamedTensor& one : tensors_of(model.root))
      if (one.tensor.shape.size() == 2) return command(model.name, one.name);
    return std::nullopt;
  }
  const std::vector<std::string> shipped = shipped_models();
  if (shipped.empty()) return std::nullopt;
  return command(shipped.front(), "generator.proj.weight");
}

/// An index has names and bytes: nothing to count with, or to set beside a count.
void show_index(const std::vector<Counted>& models, const ParamsCommandOptions& options, ParamsScreen& screen,
                Context& context) {
  const WeightIndex& index = *models[0].index;
  if (models.size() > 1) throw usage_error("params_index", {{"file", index.path}});
  Trace trace;
  trace.facts["index"] = printable(index.path);
  trace.facts["index_tensors"] = with_separators(index.tensors.size());
  trace.facts["index_files"] = with_separators(index.files);
  if (index.bytes) trace.facts["index_bytes"] = with_separators(*index.bytes);
  const Words words = words_in(find_lesson("params").folder);
  context.out = options.json ? index_json(models[0]) + "\n"
                             : render_index(models[0], trace, screen, words, context.style());
}

void run(const ParamsCommandOptions& options, Context& context) {
  std::vector<Counted> models = models_of(options.model);
  Trace all;
  const auto judge = [&](const Trace& trace) {
    for (const Check& check : trace.checks)
      if (!check.pass) context.status = 1;
  };
  std::string shown;
  ParamsScreen screen;
  screen.frame = frame_of("params");
  screen.by = options.by, screen.precision = options.model.precision;
  screen.int8 = held_matrix_of(options.model);
  const auto bare = std::ranges::find_if(models, [](const Counted& one) { return one.index && !one.shape; });
  if (bare != models.end()) {
    std::iter_swap(bare, models.begin()); // the refusal of several names it
    return show_index(models, options, screen, context);
  }
  const std::string matrix = options.model.int8.value_or("");
  const Words words = words_in(find_lesson("params").folder);
  if (models.size() > 1) // an index is held to its model where there is room to say what differs
    for (Counted& model : models) model.index.reset();
  for (const Counted& model : models) {
    Trace trace;
    trace.facts["dtype"] = word_of(precisions(), screen.precision);
    state_sizes(trace, model);
    remark(trace, model, screen.precision);
    if (screen.int8)
      state_held(trace, *screen.int8, matrix, context.style().precision);
    else if (const std::optional<std::string> command = int8_command(model))
      trace.facts["int8_command"] = *command;
    judge(trace);
    if (models.size() == 1 && !options.json)
      shown = render_params(model, trace, screen, words, context.style());
  }
  if (options.json)
    context.out = params_json(models, options.model.precision, screen.int8, matrix) + "\n";
  else if (models.size() == 1)
    context.out = shown;
  else {
    all.facts["dtype"] = word_of(precisions(), screen.precision);
    if (const std::string list = vocabularies_of(models); !list.empty()) all.facts["vocabularies"] = list;
    context.out = render_comparison(models, all, screen, words, context.style());
  }
}

} // namespace

Command params_command() {
  using O = ParamsCommandOptions;
  return command_row<O>("params", run, [](CLI::App& command, O& o, Context&) {
    const std::vector<std::pair<std::string, By>> ways{
        {"module", By::module}, {"layer", By::layer}, {"tensor", By::tensor}};
    add_argument(command, "MODEL", o.model.names, in_words("params.model"));
    add_options(command, params_options(), o.model);
    add_options<O>(command,
                   {{"--by", &O::by, value::choice(ways)}, {"--json", &O::json}, {"--no-time", &O::no_time}},
                   o);
  });
}

} // namespace tfx
