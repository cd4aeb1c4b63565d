// tfx params: what models hold and cost, counted from their blueprints.

#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/lesson/screen.hpp"
#include "cli/params/json.hpp"
#include "cli/params/options.hpp"
#include "cli/params/screen.hpp"
#include "lessons/run.hpp"
#include "words/lesson_words.hpp"

#include <fmt/format.h>

#include <memory>

namespace tfx {

using namespace params;

namespace {

struct ParamsCommandOptions {
  ParamsOptions model;
  By by = By::module;
  bool json = false, no_time = false;
};

const char* name_of(Precision precision) {
  switch (precision) {
  case Precision::f16: return "f16";
  case Precision::bf16: return "bf16";
  case Precision::f32: return "f32";
  case Precision::f64: return "f64";
  }
  return "";
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
  if (s.family != Family::encoder_decoder) {
    state("V", s.src_vocab);
    trace.facts["reads"] = fmt::format("{} × {}", s.batch, s.seq);
    return;
  }
  trace.facts["vocab"] = s.one_vocabulary() ? "V = " + std::to_string(s.src_vocab)
                                            : fmt::format("S = {}", s.src_vocab) + separator +
                                                  fmt::format("T = {}", s.tgt_vocab);
  trace.facts["reads"] = fmt::format("{} × ({} + {})", s.batch, s.seq, s.tgt_seq);
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
  const Words words = words_in(find_lesson("params").folder);
  for (const Counted& model : models) {
    Trace trace;
    trace.facts["dtype"] = std::string(name_of(screen.precision));
    state_sizes(trace, model);
    remark(trace, model, screen.precision);
    judge(trace);
    if (models.size() == 1 && !options.json)
      shown = render_params(model, trace, screen, words, context.style());
  }
  if (options.json)
    context.out = params_json(models, options.model.precision) + "\n";
  else if (models.size() == 1)
    context.out = shown;
  else {
    all.facts["dtype"] = std::string(name_of(screen.precision));
    context.out = render_comparison(models, all, screen, words, context.style());
  }
}

} // namespace

void add_params_command(CLI::App& app, Context& context) {
  const auto options = std::make_shared<ParamsCommandOptions>();
  CLI::App& command = add_command(app, context, "params", title_in(find_lesson("params").folder),
                                  [&context, options] { run(*options, context); });
  if (context.names("params")) {
    add_params_options(command, options->model);
    add_choice<By>(command, "--by", {{"module", By::module}, {"layer", By::layer}, {"tensor", By::tensor}},
                   [options](By by) { options->by = by; });
    add_flag(command, "--json", options->json);
    add_flag(command, "--no-time", options->no_time);
  }
}

} // namespace tfx
