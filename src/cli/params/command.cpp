// tfx params: what models hold and cost, counted from their blueprints.

#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/lesson/save.hpp"
#include "cli/options.hpp"
#include "cli/params/options.hpp"
#include "cli/params/report.hpp"
#include "io/message.hpp"
#include "text/names.hpp"
#include "words/in_words.hpp"

namespace tfx {

namespace {

struct ParamsCommandOptions {
  ParamsOptions model;
  By by = By::module;
  ShowOptions show;
};

Report report_of(const ParamsCommandOptions& options, const Context& context) {
  std::vector<params::Counted> models = models_of(options.model);
  const CountRequest request{options.by, options.model.precision, held_matrix_of(options.model),
                             context.style().precision};
  for (const params::Counted& model : models) {
    if (!model.index || model.shape) continue;
    if (models.size() > 1) throw usage_error("params_index", {{"file", model.index->path}});
    return index_report(model, options.by);
  }
  if (models.size() == 1) return count_report(models.front(), request);
  for (params::Counted& model : models) model.index.reset(); // held to its model where one says what differs
  return comparison_report(models, request);
}

const std::vector<std::pair<std::string, By>>& ways() {
  static const std::vector<std::pair<std::string, By>> table{
      {"module", By::module}, {"layer", By::layer}, {"tensor", By::tensor}};
  return table;
}

Report run(const ParamsCommandOptions& options, Context& context) {
  if (options.show.save) require_page(*options.show.save);
  Report report = report_of(options, context);
  for (const std::string& name : options.model.names) report.frame.options += " " + shell_quoted(name);
  report.frame.options += typed_again(params_options(), options.model);
  if (options.by != By::module) report.frame.options += " --by " + word_of(ways(), options.by);
  return report;
}

} // namespace

Command params_command() {
  using O = ParamsCommandOptions;
  return report_row<O, run>("params", [](CLI::App& command, O& o, Context&) {
    add_argument(command, "MODEL", o.model.names, in_words("params.model"));
    add_options(command, params_options(), o.model);
    add_options<O>(command, {{"--by", &O::by, value::choice(ways())}}, o);
    add_options<ShowOptions>(command, {{"--no-time", &ShowOptions::no_time}}, o.show);
    add_options(command, page_options(), o.show);
  });
}

} // namespace tfx
