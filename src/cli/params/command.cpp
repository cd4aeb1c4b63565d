// tfx params: what models hold and cost, counted from their blueprints.

#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/lesson/screen.hpp"
#include "cli/params/int8.hpp"
#include "cli/params/options.hpp"
#include "cli/params/screen.hpp"
#include "lessons/run.hpp"
#include "model/model_spec.hpp"
#include "model/shipped.hpp"
#include "words/in_words.hpp"

#include <fmt/format.h>

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
  state("N", s.layers), state("h", s.heads), state("context", s.context);
  const std::string separator = language() == Language::zh ? "，" : ", ";
  trace.facts["widths"] =
      fmt::format("d = {}", s.d_model) +
      (s.family == Family::attention_block ? "" : separator + fmt::format("f = {}", s.d_ff));
  const std::string vocabulary = *vocabulary_of(model);
  trace.facts["vocabulary"] = vocabulary;
  if (s.family != Family::encoder_decoder) {
    state("V", s.src_vocab);
    trace.facts["reads"] = fmt::format("{} × {}", s.batch, s.seq);
    return;
  }
  trace.facts["vocab"] = vocabulary;
  if (s.one_vocabulary() && s.src_vocab == copy_task_vocabulary) state("copy_ids", s.src_vocab);
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

void run(const ParamsCommandOptions& options, Context& context) {
  const std::vector<Counted> models = models_of(options.model);
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
  const std::string matrix = options.model.int8.value_or("");
  const Words words = words_in(find_lesson("params").folder);
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
