#include "cli/induction/growth.hpp"

#include "cli/lesson/screen.hpp"
#include "core/progress.hpp"
#include "core/stopwatch.hpp"
#include "io/file.hpp"
#include "lessons/induction/induction.hpp"
#include "model/checkpoint.hpp"
#include "model/counts.hpp"
#include "model/weights.hpp"
#include "text/names.hpp"
#include "train/induction.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tfx {

namespace {

InductionRecipe recipe_of(const GrowthOptions& o, std::optional<std::size_t> heads) {
  InductionRecipe recipe;
  recipe.steps = o.steps.value_or(recipe.steps), recipe.layers = o.layers.value_or(recipe.layers);
  recipe.seed = o.seed.value_or(recipe.seed), recipe.heads = heads.value_or(recipe.heads);
  recipe.rate = o.rate.value_or(recipe.rate), recipe.sequences.period = o.period;
  if (recipe.d_model % recipe.heads != 0)
    throw usage_error("params_heads",
                      {{"heads", std::to_string(recipe.heads)}, {"d_model", std::to_string(recipe.d_model)}});
  return recipe;
}

Trace trace_of(const Transformer<float>& model, const InductionRecipe& recipe,
               const std::vector<Growth>& growth) {
  Trace trace;
  trace.lesson = "induction";
  const auto exact = in_double(model);
  const std::size_t period = recipe.sequences.period.value_or(recipe.sequences.longest_period);
  measure_heads(trace, exact, period);
  show_growth(trace, metadata_of(recipe, growth).at("growth"));
  std::ranges::reverse(trace.experiments); // how it grew, then what it is
  test_periods(trace, exact, period);
  const auto number = [](std::size_t n) { return static_cast<double>(n); };
  trace.facts["layers"] = number(recipe.layers), trace.facts["heads"] = number(recipe.heads);
  trace.facts["symbols"] = number(recipe.sequences.vocab), trace.facts["seed"] = number(recipe.seed);
  trace.facts["parameters"] = number(count_parameters(model)), trace.facts["steps"] = number(recipe.steps);
  trace.facts["batch"] = number(recipe.batch), trace.facts["rate"] = recipe.rate;
  if (recipe.sequences.period)
    trace.facts["fixed_period"] = number(*recipe.sequences.period);
  else
    trace.facts["shortest_drawn"] = number(recipe.sequences.shortest_period()),
    trace.facts["longest_drawn"] = number(recipe.sequences.longest_period);
  return trace;
}

} // namespace

const std::vector<Option<GrowthOptions, InputRules>>& growth_options() {
  using O = GrowthOptions;
  using Row = Option<O, InputRules>;
  const InductionRecipe usual;
  const RepeatedRule& rule = usual.sequences;
  const auto row = [&](Row one, const char* words) {
    return one.when(takes<Input::repeated>)
        .described(words, {{"shortest", std::to_string(rule.shortest_period())},
                           {"longest", std::to_string(rule.longest_period)}});
  };
  static const std::vector<Row> table{
      row(Row("--train", &O::train).without({"--text", "--model", "--full", "--step", "--show", "--quiet"}),
          "induction--train"),
      row(Row("--steps", &O::steps, value::count(1, 100'000), usual.steps).beside({"--train"}),
          "induction--steps"),
      row(Row("--layers", &O::layers, value::count(1, 4), usual.layers).beside({"--train"}),
          "induction--layers"),
      row(Row("--period", &O::period, value::count(2, usual.sequences.longest_period)).beside({"--train"}),
          "induction--period"),
      row(Row("--rate", &O::rate, value::number("R", 0, 1), usual.rate).beside({"--train"}),
          "induction--rate"),
      row(Row("--seed", &O::seed, value::seed(), usual.seed).beside({"--train"}), "induction--seed"),
      row(Row("--out", &O::out, value::text("FILE")).beside({"--train"}), "induction--out")};
  return table;
}

Report grow_and_test(const GrowthOptions& options, std::optional<std::size_t> heads, bool with_time) {
  const InductionRecipe recipe = recipe_of(options, heads);
  if (options.out) {
    if (!options.out->ends_with(".safetensors")) throw usage_error("growth_kind", {{"file", *options.out}});
    require_writable(*options.out);
  }
  std::vector<Growth> growth;
  const Stopwatch watch;
  const Transformer<float> model = grow(recipe, [&](const Growth& now) {
    growth.push_back(now);
    tell_progress("train", {std::max<std::size_t>(now.step, 1), recipe.steps});
  });
  const double seconds = watch.seconds();
  if (options.out) save_model(model, *options.out, metadata_of(recipe, growth));
  Report report{frame_of("induction"), trace_of(model, recipe, growth)};
  report.run = RunView::parts;
  Screen& frame = report.frame;
  GrowthOptions given = options;
  given.train = false;
  frame.options = typed_again(growth_options(), given) + (heads ? " --heads " + std::to_string(*heads) : "");
  frame.typed = "induction --train", frame.part = "grown", frame.place.clear(), frame.with_time = with_time;
  for (const char* key : {"grown.drawn", "grown.fixed"}) report.say(key);
  for (const Experiment& experiment : report.trace.experiments) {
    report.add(Subheading{Sentence{"grown." + experiment.name}});
    report.add(Tried{experiment.name});
  }
  if (with_time) report.add(Row{"grown.time", fmt::format("{:.1f} s", seconds)});
  if (options.out) report.add(Row{"grown.kept", *options.out});
  if (options.out)
    report.next = {"induction --model " + shell_quoted(*options.out)};
  else
    report.onward = {{"grown.keep", {{"again", "tfx " + frame.typed + frame.options}}}};
  return report;
}

} // namespace tfx
