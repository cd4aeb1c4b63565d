// tfx explain LESSON TENSOR I J …: where a number came from.

#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/lesson/save.hpp"
#include "cli/lesson/screen.hpp"
#include "cli/model/options.hpp"
#include "cli/options.hpp"
#include "core/blas.hpp"
#include "core/error.hpp"
#include "lessons/run.hpp"
#include "options/parse.hpp"
#include "parity/model_page.hpp"
#include "render/explain_text.hpp"
#include "render/json.hpp"
#include "words/lesson_words.hpp"

#include <limits>
#include <memory>

namespace tfx {

namespace {

struct ExplainOptions {
  std::string lesson, tensor;
  std::vector<std::string> index;
  std::optional<std::size_t> depth;
  bool all = false, json = false;
  InputOptions input;
  ModelOptions model;
};

Trace model_trace(const ModelOptions& options) {
  reserve_blas_memory();
  const ModelBatches batches = batches_of(options);
  ModelPage page = page_of(model_of<double>(options), batches.src, batches.tgt, batches.pad);
  return run_model_page(std::move(page));
}

// Lessons and the model both have --weights and --heads: whose they are is known before the parser runs. A
// learner's own --text may name a lesson too.
bool explains_model(const std::vector<std::string>& arguments) {
  for (std::size_t i = 1; i < arguments.size(); ++i)
    if (const Lesson* lesson = lesson_named(arguments[i]); lesson && arguments[i - 1] != "--text")
      return lesson->on_page == OnPage::model;
  return false;
}

void run_explain(const ExplainOptions& options, Context& context) {
  Trace trace;
  const Lesson& lesson = lesson_for("explain", options.lesson);
  if (lesson.on_page == OnPage::model) {
    trace = model_trace(options.model);
  } else {
    refuse_unfit(lesson, options.input);
    LessonRun run = run_lesson(lesson, options.input);
    context.notes = std::move(run.notes);
    trace = std::move(run.trace);
  }
  if (!options.json) translate_sources(trace);
  Index index;
  for (const std::string& text : options.index)
    index.push_back(
        parse_count(in_words("usage.index"), text, 0, std::numeric_limits<std::size_t>::max() / 2));
  constexpr std::size_t terms_shown = 8;
  const std::size_t max_terms = options.all ? std::numeric_limits<std::size_t>::max() : terms_shown;
  const Style style = context.style();
  const int depth = static_cast<int>(options.depth.value_or(1));
  const Explanation explanation = explain(trace, tensor_named(trace, options.tensor), index, depth, max_terms,
                                          options.json ? 17 : style.precision);
  context.out = options.json ? render_json(explanation, options.lesson)
                             : render_explanation(trace, explanation, max_terms, common_words(), style);
}

} // namespace

void add_explain_command(CLI::App& app, Context& context) {
  const auto options = std::make_shared<ExplainOptions>();
  CLI::App& command = add_command(app, context, "explain", in_words("command.explain"),
                                  [&context, options] { run_explain(*options, context); });
  add_argument(command, "LESSON", options->lesson, in_words("explain.lesson"));
  add_argument(command, "TENSOR", options->tensor, in_words("explain.tensor"));
  add_argument(command, "INDEX", options->index, in_words("explain.index"));
  add_value(
      command, "--depth",
      [options, &context](const std::string& text) { options->depth = parse_count("--depth", text, 0, 20); },
      "N");
  add_flag(command, "--all", options->all);
  add_flag(command, "--json", options->json);
  if (context.names("explain") && explains_model(context.arguments)) {
    add_model_options(command, options->model);
  } else if (context.names("explain")) {
    add_options(command, input_options(), options->input);
  }
}

} // namespace tfx
