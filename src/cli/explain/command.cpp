// tfx explain LESSON TENSOR CELL: where a number came from.

#include "cli/add_option.hpp"
#include "cli/app.hpp"
#include "cli/commands.hpp"
#include "cli/lesson/save.hpp"
#include "cli/lesson/screen.hpp"
#include "cli/model/walk.hpp"
#include "cli/options.hpp"
#include "core/error.hpp"
#include "core/number.hpp"
#include "lessons/run.hpp"
#include "render/cell_address.hpp"
#include "render/explain_text.hpp"
#include "render/html/explanation.hpp"
#include "render/html/section.hpp"
#include "render/json.hpp"
#include "words/in_words.hpp"

#include <functional>
#include <limits>
#include <memory>

namespace tfx {

namespace {

struct ExplainOptions {
  std::string lesson, tensor;
  std::vector<std::string> index;
  std::optional<std::size_t> depth;
  bool all = false;
  ShowOptions show;
  InputOptions input;
  ModelOptions model;
  LossOptions loss;
};

/// The lesson's, or the model's.
Trace trace_of(const ExplainOptions& options, Context& context) {
  const Lesson& lesson = lesson_for("explain", options.lesson);
  if (lesson.on_page == OnPage::model) {
    for (const auto& row : input_options()) // a lesson's, as the model was not named yet
      if (row.given(options.input)) throw usage_error("before_model", {{"name", row.name}});
    return trace_on_page(given_model<double>(options.model), options.loss);
  }
  refuse_unfit(lesson, options.input);
  LessonRun run = run_lesson(lesson, options.input, RunFor::values);
  context.notes = std::move(run.notes);
  return std::move(run.trace);
}

/// Output that is held back until it is whole, or longer than anybody reads: then `on_long` hears how long it
/// is so far, and unless it throws all of it goes on.
class LongOutput {
public:
  LongOutput(Context& context, std::function<void(std::size_t)> on_long)
      : context_(context), on_long_(std::move(on_long)) {}

  void write(std::string_view part) {
    if (is_long_) return context_.write_long(part);
    held_ += part;
    if (held_.size() <= most) return;
    on_long_(held_.size());
    is_long_ = true;
    finish();
  }

  void finish() {
    context_.write_long(held_);
    held_.clear();
  }

private:
  static constexpr std::size_t most = 10'000'000; // bytes

  Context& context_;
  std::function<void(std::size_t)> on_long_;
  std::string held_;
  bool is_long_ = false;
};

/// Passes on an explanation as long as the text that comes of it is not too large for a file.
class Limited final : public ExplanationVisitor {
public:
  Limited(ExplanationVisitor& next, std::function<std::size_t()> bytes)
      : next_(next), bytes_(std::move(bytes)) {}

  void enter(const Explanation& cell) override {
    constexpr std::size_t most = 20'000'000;
    next_.enter(cell);
    if (bytes_() > most) throw usage_error("explanation_saved", {{"size", format_bytes(most)}});
  }
  void leave() override { next_.leave(); }

private:
  ExplanationVisitor& next_;
  std::function<std::size_t()> bytes_;
};

using Tell = std::function<void(ExplanationVisitor&, int digits)>;

const std::vector<Option<ExplainOptions>>& explain_options() {
  using O = ExplainOptions;
  static const std::vector<Option<O>> table{{"--depth", &O::depth, value::count(0, 20), 1},
                                            {"--all", &O::all}};
  return table;
}

/// What the page is of, as one would type it again.
Screen frame_of_explanation(Trace& trace, const ExplainOptions& options, const std::string& cell) {
  Screen frame = frame_of_command("explain");
  name_lesson(frame, trace, find_lesson(options.lesson));
  frame.options = " " + options.lesson + " " + cell + typed_again(explain_options(), options) +
                  typed_again(input_options(), options.input) + typed_again(model_options(), options.model) +
                  typed_again(loss_options(), options.loss);
  return frame;
}

std::string json_of(const std::string& lesson, const Tell& tell) {
  std::string text;
  ExplanationJson form(lesson, [&](std::string_view part) { text += part; });
  Limited limited(form, [&] { return text.size(); });
  tell(limited, all_digits);
  return text;
}

Html html_of(const Trace& trace, const Screen& frame, std::size_t max_terms, const Tell& tell,
             const Style& style) {
  Section section(trace, both_words(frame.folder), style);
  section.title(frame);
  ExplanationHtml form(section.words(), max_terms);
  Limited limited(form, [&] { return form.bytes(); });
  tell(limited, style.precision);
  section.add(form.list());
  return section.take("explain");
}

/// To standard output as it is told, and before its end, once it is known to be not too long, to the file.
void put_out(const Trace& trace, const ExplainOptions& options, std::size_t max_terms, const Tell& tell,
             const std::function<void()>& save, Context& context) {
  const Style style = context.style();
  const int digits = options.show.json ? all_digits : style.precision;
  const Words words = common_words();
  std::unique_ptr<ExplanationVisitor> form;
  std::optional<TermCounter> told;
  LongOutput output(context, [&](std::size_t bytes) {
    TermCounter all(max_terms);
    tell(all, digits);
    const double size =
        static_cast<double>(bytes) * static_cast<double>(all.terms()) / static_cast<double>(told->terms());
    const std::map<std::string, std::string> values{{"terms", with_separators(all.terms())},
                                                    {"size", format_bytes(size)}};
    if (!options.all) throw usage_error("explanation_long", values);
    context.notes.push_back(in_words("note.explanation_long", values));
    write_notes(context);
  });
  const auto write = [&](std::string_view part) { output.write(part); };
  if (options.show.json)
    form = std::make_unique<ExplanationJson>(options.lesson, write);
  else
    form = std::make_unique<ExplanationScreen>(trace, max_terms, words, style, write);
  told.emplace(max_terms, form.get());
  tell(*told, digits);
  save();
  output.finish();
}

void run_explain(const ExplainOptions& options, Context& context) {
  const std::optional<std::string>& file = options.show.save;
  if (file) require_page(*file);
  Trace trace = trace_of(options, context);
  constexpr std::size_t terms_shown = 8;
  const std::size_t max_terms = options.all ? std::numeric_limits<std::size_t>::max() : terms_shown;
  const int depth = static_cast<int>(options.depth.value_or(1));
  const std::string tensor = tensor_named(trace, options.tensor);
  const Index index = cell_at(*trace.find(tensor), options.index);
  const Screen frame =
      frame_of_explanation(trace, options, tensor + cell_address(*trace.find(tensor), index));
  const Tell tell = [&](ExplanationVisitor& visitor, int digits) {
    explain_down(trace, tensor, index, depth, {max_terms, digits}, visitor);
  };
  // Both are made before either is put out: one that is too long leaves nothing behind.
  std::string document;
  Html page;
  if (file && file->ends_with(".json")) document = json_of(options.lesson, tell);
  if (file && file->ends_with(".html")) page = html_of(trace, frame, max_terms, tell, context.style());
  const auto save = [&] {
    if (file)
      save_trace(
          trace, *file, frame, context, [&] { return std::move(document); }, [&] { return std::move(page); });
  };
  put_out(trace, options, max_terms, tell, save, context);
}

} // namespace

Command explain_command() {
  using O = ExplainOptions;
  const auto cell = [](CLI::App& command, O& o) {
    add_argument(command, "TENSOR", o.tensor, in_words("explain.tensor"));
    add_argument(command, "INDEX", o.index, in_words("explain.index"));
    add_options(command, explain_options(), o);
    add_options(command, page_options(), o.show);
  };
  const auto options = [cell](CLI::App& command, O& o, Context&) {
    add_argument(command, "LESSON", o.lesson, in_words("explain.lesson"));
    cell(command, o);
    add_options(command, input_options(), o.input);
  };
  const auto of_model = [cell](CLI::App& command, O& o, Context&) {
    o.lesson = "model";
    cell(command, o);
    add_options(command, model_options(), o.model);
    add_options(command, loss_options(), o.loss);
  };
  return command_row<O>("explain", run_explain, options, of_model);
}

} // namespace tfx
