// tfx model: the whole encoder-decoder, every activation by name.

#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/lesson/save.hpp"
#include "cli/lesson/screen.hpp"
#include "cli/model/loss.hpp"
#include "cli/model/options.hpp"
#include "cli/options.hpp"
#include "core/choices.hpp"
#include "core/parallel.hpp"
#include "io/file.hpp"
#include "lessons/run.hpp"
#include "parity/model_run.hpp"
#include "render/json.hpp"
#include "render/model_screen.hpp"
#include "text/pattern.hpp"
#include "text/suggest.hpp"
#include "words/in_words.hpp"

#include <algorithm>
#include <memory>

namespace tfx {

namespace {

enum class Dtype { f32, f64 };

struct ModelCommandOptions {
  ModelOptions model;
  LossOptions loss;
  OutputOptions output;
  Dtype dtype = Dtype::f32;
  std::optional<std::string> save_weights;
};

/// Every activation, and what the trace has besides: loss and gradients.
std::vector<std::string> names_of(const ModelRun& run) {
  std::vector<std::string> names;
  for (const ActivationSummary& one : run.activations) names.push_back(one.name);
  for (const Step& step : run.trace.steps)
    if (std::find(names.begin(), names.end(), step.name) == names.end()) names.push_back(step.name);
  return names;
}

std::set<std::string> shown(const std::vector<std::string>& all, const std::vector<std::string>& patterns) {
  std::set<std::string> names;
  for (const std::string& pattern : patterns) {
    const std::size_t before = names.size();
    bool found = false;
    for (const std::string& name : all)
      if (matches(pattern, name)) names.insert(name), found = true;
    if (!found && before == names.size())
      throw usage_error("activation", {{"name", pattern}, {"near", suggestion(nearest(pattern, all))}});
  }
  return names;
}

std::string list_of(const Batch& batch) {
  std::string text;
  for (std::size_t s = 0; s < batch.sequences.count(); ++s) {
    text += s ? "; " : "";
    for (std::size_t j = batch.sequences.offsets[s]; j < batch.sequences.offsets[s + 1]; ++j)
      text += (j > batch.sequences.offsets[s] ? " " : "") + std::to_string(batch.ids[j]);
  }
  return text;
}

void state_shape(Trace& t, const Config& config, const ModelBatches& batches) {
  const auto state = [&](const char* name, std::size_t value) { t.facts[name] = static_cast<double>(value); };
  state("layers", config.layers), state("d_model", config.d_model), state("d_ff", config.d_ff);
  state("heads", config.heads);
  state("src_vocab", config.src_vocab), state("tgt_vocab", config.tgt_vocab);
  t.facts["norm"] = word_of(norm_rules<NormRule>(), config.norm.rule);
  t.facts["placement"] = word_of(norm_placements<NormPlacement>(), config.norm.placement);
  t.facts["src"] = list_of(batches.src), t.facts["tgt"] = list_of(batches.tgt);
}

template <class Real>
void run(const ModelCommandOptions& options, Context& context) {
  if (options.output.save && options.save_weights && same_file(*options.output.save, *options.save_weights))
    throw usage_error("contradict", {{"one", "--save"}, {"other", "--save-weights"}});
  const ModelBatches batches = batches_of(options.model);
  const EncoderDecoder<Real> model = model_of<Real>(options.model);
  check_ids(options.model, batches, model.config);
  if (options.save_weights) save_model(model, *options.save_weights);
  const OutputOptions& output = options.output;
  const bool all = output.json || output.save;
  const Keep keep = [&](const std::string& name) {
    if (output.show.empty()) return all;
    return std::any_of(output.show.begin(), output.show.end(),
                       [&](const std::string& pattern) { return matches(pattern, name); });
  };
  ModelRun result = run_model(model, batches.src, batches.tgt, batches.pad, keep);
  add_loss(result.trace, model, batches, options.loss, keep);
  state_shape(result.trace, model.config, batches);
  result.trace.facts["weights_from"] = source_of_weights(options.model);
  const std::set<std::string> only = shown(names_of(result), output.show);
  context.status = status_of(result.trace);
  Screen screen = frame_of("model");
  screen.options = typed_again(model_options(), options.model);
  screen.quiet = output.quiet;
  screen.with_time = !output.no_time;
  screen.only = only;
  if (output.save) save_trace(result.trace, *output.save, screen, context);
  if (output.json) {
    context.out = render_json(result.trace, {!output.no_time, only});
    return;
  }
  context.out = render_model_screen(result.trace, result.activations, screen,
                                    words_in(find_lesson("model").folder), context.style());
}

} // namespace

void add_model_command(CLI::App& app, Context& context) {
  using O = ModelCommandOptions;
  const auto options = std::make_shared<O>();
  const auto start = [&context, options] {
    options->dtype == Dtype::f64 ? run<double>(*options, context) : run<float>(*options, context);
  };
  add_command(
      app, context, "model", title_in(find_lesson("model").folder), start,
      [&context, options](CLI::App& command) {
        const std::vector<std::pair<std::string, Dtype>> dtypes{{"f32", Dtype::f32}, {"f64", Dtype::f64}};
        add_options(command, model_options(), options->model);
        add_options(command, loss_options(), options->loss);
        add_options<O>(command,
                       {{"--dtype", &O::dtype, value::choice(dtypes)},
                        {"--save-weights", &O::save_weights, value::text("FILE")}},
                       *options);
        add_options(command, output_options(), options->output);
        add_options(command, picture_options(), context.global);
      });
}

} // namespace tfx
