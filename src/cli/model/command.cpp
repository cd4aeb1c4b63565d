// tfx model: the whole encoder-decoder, layer by layer, every activation by name.

#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/lesson/save.hpp"
#include "cli/lesson/screen.hpp"
#include "cli/model/module_costs.hpp"
#include "cli/model/roles.hpp"
#include "cli/model/walk.hpp"
#include "cli/options.hpp"
#include "core/choices.hpp"
#include "core/parallel.hpp"
#include "io/file.hpp"
#include "lessons/run.hpp"
#include "model/checkpoint_format.hpp"
#include "parity/model_page.hpp"
#include "render/json.hpp"
#include "text/names.hpp"
#include "words/in_words.hpp"

#include <algorithm>

namespace tfx {

namespace {

enum class Dtype { f32, f64 };

struct ModelCommandOptions {
  ModelOptions model;
  LossOptions loss;
  OutputOptions output;
  InterventionOptions interventions;
  RolesOptions roles;
  std::optional<std::string> page;
  Dtype dtype = Dtype::f32;
  bool full = false, step = false;
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

std::string list_of(const Batch& batch, const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t s = 0; s < batch.sequences.count(); ++s) {
    text += s ? "; " : "";
    for (std::size_t j = batch.sequences.offsets[s]; j < batch.sequences.offsets[s + 1]; ++j)
      text += (j > batch.sequences.offsets[s] ? " " : "") +
              (names.empty() ? std::to_string(batch.ids[j]) : names[j]);
  }
  return text;
}

/// What the model has otherwise than The Annotated Transformer.
void state_choices(Trace& t, const ModelSpec& spec) {
  if (spec.stacks != Stacks::both) {
    t.facts["family"] = word_of(family_words(), spec.stacks);
    t.facts["positions_by"] = word_of(position_words(), spec.positions);
  }
  if (spec.positions == Positions::rotary) t.facts["rotary"] = word_of(rotary_words(), spec.pairs);
  if (spec.key_heads() != spec.heads) t.facts["kv_heads"] = static_cast<double>(spec.key_heads());
  if (spec.window != 0) t.facts["window"] = static_cast<double>(spec.window);
  if (spec.gated) t.facts["gated"] = "W_3";
  std::vector<std::string> without;
  if (!spec.biases.queries) without.emplace_back("queries");
  if (!spec.biases.output) without.emplace_back("output");
  if (!spec.biases.feed_forward) without.emplace_back("feed_forward");
  if (!without.empty()) t.facts["without_bias"] = without;
}

template <class Real>
void state(Trace& t, const GivenModel<Real>& given, const TokenNames& names) {
  const ModelSpec& spec = given.model.spec;
  const auto count = [&](const char* name, std::size_t value) { t.facts[name] = static_cast<double>(value); };
  count("layers", spec.layers), count("d_model", spec.d_model), count("d_ff", spec.d_ff);
  count("heads", spec.heads);
  if (spec.has_encoder()) count("src_vocab", spec.src_vocab);
  if (spec.has_decoder()) count("tgt_vocab", spec.tgt_vocab);
  state_choices(t, spec);
  t.facts["norm"] = word_of(norm_words(), spec.norm.rule);
  t.facts["activation"] = word_of(activation_words(), spec.activation);
  t.facts["placement"] = word_of(placement_words(), spec.norm.placement);
  if (spec.has_encoder()) t.facts["src"] = list_of(given.batches.src, names.src);
  if (spec.has_decoder()) t.facts["tgt"] = list_of(given.batches.tgt, names.tgt);
  t.facts[given.is_trained ? "trained" : "drawn"] = given.weights;
  t.facts["weights_from"] = given.weights;
  if (!given.text.empty()) t.facts["text"] = given.text;
}

/// What the page reads beside the answer: what every attention looks at, and how long vectors are.
bool is_walked(const std::string& name) {
  return name.ends_with("attn.weights") || name.ends_with(".output") || name.ends_with("_embed") ||
         name.ends_with(".hidden") || name == "memory";
}

WalkModule walked(const ModuleCost& cost) {
  return {cost.name, cost.parameters, cost.macs, cost.seconds};
}

/// The engine's activations as the page says they come about.
Trace with_operations(Trace trace, const std::optional<Trace>& page) {
  if (!page) return trace;
  for (Step& step : trace.steps)
    if (const Step* same = page->find(name_on_page(step.name, *page)))
      step.formula = same->formula, step.operation = same->operation;
  return trace;
}

/// When everything else that was asked for is known to be there.
template <class Real>
void save_weights(const ModelCommandOptions& options, const GivenModel<Real>& given) {
  if (options.save_weights) save_model(given.model, *options.save_weights, {}, given.scheme);
}

template <class Real>
void show_roles(const ModelCommandOptions& options, const GivenModel<Real>& given, Trace trace,
                Context& context) {
  const TokenNames names = names_of(given);
  state(trace, given, names);
  label_tokens(trace, names);
  Report report = roles_report(std::move(trace), given, options.model, options.roles, options.full);
  report.frame.with_time = !options.output.no_time;
  report.status = status_of(report.trace);
  save_weights(options, given);
  show_before_saving(report, {options.output.json, options.output.no_time, options.output.save}, context);
}

/// What asks for a side that the model has not.
void require_sides(const ModelCommandOptions& o, const ModelSpec& spec) {
  if (spec.stacks == Stacks::both) return;
  const bool changes = !o.interventions.without.empty() || !o.interventions.uniform.empty(),
             asks_answer = o.loss.labels || o.loss.grad || changes || o.interventions.ablate || o.step;
  const char* asked = o.roles.roles ? "--roles" : nullptr;
  if (!spec.has_decoder() && asks_answer)
    asked = o.loss.labels ? "--labels"
            : o.loss.grad ? "--grad"
            : o.step      ? "--step"
            : changes     ? "--without"
                          : "--ablate";
  if (asked)
    throw usage_error("of_pair", {{"name", asked}, {"family", word_of(family_words(), spec.stacks)}});
}

/// A page shows a part of the walk through the whole model, and of nothing else.
void refuse_page(const ModelCommandOptions& o) {
  const bool shows_part = o.output.json || o.output.quiet || !o.output.show.empty();
  for (const auto& [is_given, name] : {std::pair(o.full, "--full"),
                                       {o.step, "--step"},
                                       {o.roles.roles, "--roles"},
                                       {!o.interventions.without.empty(), "--without"},
                                       {!o.interventions.uniform.empty(), "--uniform"},
                                       {o.output.save.has_value(), "--save"},
                                       {o.output.json, "--json"},
                                       {shows_part, o.output.quiet ? "--quiet" : "--show"}})
    if (o.page && is_given) throw usage_error("page_of_whole", {{"option", name}, {"page", *o.page}});
}

/// The lesson with those of its pages that this run fills.
Lesson with_pages_of(const ModelSpec& spec, const Trace& trace) {
  Lesson lesson = find_lesson("model");
  const bool has_parts = std::ranges::count(trace.experiments, "ablation", &Experiment::name) > 0;
  std::erase_if(lesson.further, [&](const FurtherPage& page) {
    return page.name == "encoder"   ? !spec.has_encoder()
           : page.name == "decoder" ? !spec.has_decoder()
                                    : !has_parts;
  });
  return lesson;
}

/// Without a tensor: loss, checks, cost and where the weights are from.
void add_summary(Report& report, const Trace& trace) {
  report.frame.quiet = true;
  for (const char* key : {"loss", "gradients", "blocked_rows"}) report.say(key);
  report.add(Row{"data", Sentence{"weights"}});
  report.has_cost = true;
  const auto family = trace.facts.find("family");
  const std::string place = family == trace.facts.end()
                                ? "decoder.layers.0.src_attn"
                                : std::get<std::string>(family->second) + ".layers.0.self_attn";
  report.next = {report.frame.next, "model --show " + place + ".weights" + report.frame.options};
}

template <class Real>
void run(const ModelCommandOptions& options, Context& context) {
  refuse_page(options);
  InterventionOptions interventions = options.interventions;
  interventions.ablate = interventions.ablate || options.page == "parts"; // also where that takes long
  const OutputOptions& output = options.output;
  if (output.save && options.save_weights && same_file(*output.save, *options.save_weights))
    throw usage_error("contradict", {{"one", "--save"}, {"other", "--save-weights"}});
  if (output.save && options.roles.roles) require_page(*output.save); // measuring takes a while
  const GivenModel<Real> given = given_model<Real>(options.model);
  context.note(given.notes);
  const auto& [src, tgt, pad] = given.batches;
  require_sides(options, given.model.spec);
  const TokenIds labels = labels_of(options.loss, given.batches, given.expected, given.model.spec.tgt_vocab);
  const bool all = output.json || output.save, is_page = !all && output.show.empty() && !output.quiet;
  const Keep keep = [&](const std::string& name) {
    if (options.roles.roles) return name.ends_with("attn.weights");
    if (name == "log_probs") return true;
    if (output.show.empty()) return all || (is_page && is_walked(name));
    return std::any_of(output.show.begin(), output.show.end(),
                       [&](const std::string& pattern) { return matches(pattern, name); });
  };
  ModelRun result = run_model(given.model, src, tgt, pad, keep);
  Trace& trace = result.trace;
  if (options.roles.roles) return show_roles(options, given, std::move(trace), context);
  add_loss(trace, given.model, {src, tgt, labels}, options.loss, pad, keep);
  const TokenNames names = names_of(given);
  state(trace, given, names);
  const std::set<std::string> only = shown(names_of(result), output.show);
  label_tokens(trace, names);
  ModelWalk walk = walk_of(result, given, labels, interventions);
  Screen screen = frame_of("model");
  screen.options = typed_again(model_options(), options.model);
  screen.quiet = output.quiet;
  screen.with_time = !output.no_time;
  screen.only = only;
  if (output.save)
    save_trace(trace, *output.save, screen, context, [&] {
      return render_json(with_operations(trace, result.page), {!output.no_time, {}});
    });
  Report report{screen, {}};
  report.run = only.empty() ? RunView::parts : RunView::whole, report.status = status_of(trace);
  if (is_page) {
    for (const ModuleCost& cost : module_costs(given.model, src, tgt)) walk.modules.push_back(walked(cost));
    const bool is_changed = !options.interventions.without.empty() || !options.interventions.uniform.empty();
    walk.whole = options.full, walk.in_pages = !options.full && !options.step && !is_changed;
    if (walk.in_pages)
      turn_to(report.frame, with_pages_of(given.model.spec, trace),
              options.interventions.ablate ? options.page.value_or("parts") : options.page);
  }
  save_weights(options, given);
  if (is_page) {
    if (options.step) {
      context.status = report.status;
      return step_through_model(
          render_model_walk(trace, walk, screen, words_in(screen.folder), context.style()),
          given_model<double>(options.model), options.model.seed.value_or(42), context);
    }
    walk.activations = std::move(result.activations);
    report.walk = std::make_shared<const ModelWalk>(std::move(walk));
  } else if (only.empty()) {
    add_summary(report, trace);
  }
  report.trace = output.json ? with_operations(std::move(trace), result.page) : std::move(trace);
  show(report, {output.json, output.no_time, {}}, context);
}

} // namespace

Command model_command() {
  using O = ModelCommandOptions;
  const auto start = [](const O& o, Context& context) {
    o.dtype == Dtype::f64 ? run<double>(o, context) : run<float>(o, context);
  };
  return command_row<O>("model", start, [](CLI::App& command, O& o, Context& context) {
    const std::vector<std::pair<std::string, Dtype>> dtypes{{"f32", Dtype::f32}, {"f64", Dtype::f64}};
    add_page_argument(command, find_lesson("model"), o.page);
    add_options(command, model_options(), o.model);
    add_options(command, loss_options(), o.loss);
    add_options<O>(command,
                   {{"--dtype", &O::dtype, value::choice(dtypes)},
                    {"--save-weights", &O::save_weights, value::text("FILE")}},
                   o);
    add_options(command, intervention_options(), o.interventions);
    add_options(command, output_options(), o.output);
    add_options(command, picture_options(), context.global);
    const Option<O> full("--full", &O::full), step("--step", &O::step);
    add_options<O>(command,
                   {full.without({"--json", "--quiet", "--show"}),
                    step.without({"--json", "--quiet", "--show", "--full", "--without", "--uniform"})},
                   o);
    add_options(command, roles_options(), o.roles);
  });
}

} // namespace tfx
