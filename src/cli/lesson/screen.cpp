#include "cli/lesson/screen.hpp"

#include "cli/decode/decoding.hpp"
#include "cli/decode/trained_model.hpp"
#include "cli/options.hpp"
#include "course/model_map.hpp"
#include "input/tutorials.hpp"
#include "io/load.hpp"
#include "lessons/run.hpp"
#include "model/shipped.hpp"
#include "render/footer.hpp"
#include "trace/mistake.hpp"
#include "words/in_words.hpp"

#include <algorithm>

namespace tfx {

namespace {

bool tutorial_seeded(const std::string& name) {
  for (const Run& run : runs())
    if (run.name() == name) return run.seeded;
  return true;
}

// What of the options the next lesson reads; several heads where it is about them and the width has halves.
InputOptions for_next(const InputOptions& options, const Lesson& next, const Trace& trace) {
  InputOptions read = fitting(input_options(), options, InputRules(next));
  const Step* X = trace.find("X");
  if (next.takes(Input::heads) && !read.heads && !read.model && X && X->value.shape.back() % 2 == 0)
    read.heads = 2;
  return read;
}

// The whole model, which has other names for what a lesson on one of its layers was asked for.
std::string whole_model(const InputOptions& options, const Trace& trace) {
  InputOptions style;
  style.heads = options.heads, style.norm = options.norm, style.norm_first = options.norm_first;
  const bool has_words = trace.facts.contains("trained_task");
  const std::string text =
      !options.text ? "" : (has_words ? " --text " : " --src ") + shell_quoted(*options.text);
  return " --weights " + shell_quoted(*options.model) + text + typed_again(input_options(), style);
}

// The same lesson on learned numbers: of the learner's text where a shipped model reads it.
std::string learned_instead(const Lesson& lesson, const InputOptions& options) {
  const std::optional<std::string> reader = options.text ? model_that_reads(*options.text) : std::nullopt;
  InputOptions learned;
  if (reader) learned.text = options.text;
  learned.model = reader ? reader : usual_model();
  return lesson.typed + typed_again(input_options(), learned);
}

// Sections as their last tensor comes in the run, which another place of the norm changes; the result first,
// experiments last.
std::vector<PageSection> in_order_of(const Trace& trace, std::vector<PageSection> page) {
  const auto place = [&](const PageSection& section) {
    if (section.key == "result") return std::size_t{0};
    std::size_t last = 0;
    for (std::size_t i = 0; i < trace.steps.size(); ++i)
      if (std::ranges::count(section.tensors, trace.steps[i].name)) last = i;
    return last ? last : trace.steps.size();
  };
  std::ranges::stable_sort(page, {}, place);
  return page;
}

} // namespace

Screen frame_of(const std::string& command) {
  Screen screen;
  screen.command = screen.typed = command;
  if (const Lesson* next = lesson_after(command)) screen.next = next->typed;
  screen.number = static_cast<std::size_t>(find_lesson(command).number);
  screen.place = place_in_model(find_lesson(command));
  return screen;
}

Screen screen_of(const Lesson& lesson, const InputOptions& options, const Trace& trace) {
  Screen screen = frame_of(lesson.command);
  screen.typed = lesson.typed;
  screen.options = typed_again(input_options(), options);
  screen.is_own = options.text || options.words || options.x || options.q || options.k || options.v ||
                  options.logits || options.model;
  const bool goes_on = screen.is_own || (options.seed && !options.tutorial);
  if (const Lesson* next = lesson_after(lesson.command); goes_on && next && next->on_page == OnPage::whole)
    screen.next += typed_again(input_options(), for_next(options, *next, trace));
  else if (options.model && next && next->command == "model")
    screen.next += whole_model(options, trace);
  screen.page = in_order_of(trace, lesson.page);
  if (lesson.from_model && !drawn_names(trace).empty() && usual_model())
    screen.learned = learned_instead(lesson, options);
  screen.tutorial_seeded = tutorial_seeded(trace.tutorial);
  screen.can_break = std::ranges::count(mistakes(), lesson.folder, &Mistake::folder) > 0;
  return screen;
}

int status_of(const Trace& trace) {
  return std::ranges::all_of(trace.checks, &Check::pass) ? 0 : 1;
}

void translate_sources(Trace& trace) {
  for (Step& step : trace.steps)
    if (step.operation.is(op::given) && step.formula == shown_name("-"))
      step.formula = in_words("standard_input");
}

void add_glimpse(Trace& trace, bool ascii) {
  constexpr double clearly = 1.5; // times the weight of the next
  const std::string name = ascii ? "reverse" : "numbers-zh";
  if (!std::ranges::count(shipped_models(), name)) return;
  TrainedOptions options;
  options.model = name;
  const TrainedModel trained = trained_model(options);
  const std::string text = example_text(trained.card);
  const TokenIds src = trained.card.src.encode(text);
  DecodeRequest request;
  request.limits = limits_of(options, trained, src.size());
  const Decoded decoded = decode_text(trained.model, trained.card, src, request);
  const Step& alignment = decoded.trace.step_named("alignment");
  const arma::mat weights = matrix(alignment.value);
  std::vector<std::string> pairs;
  for (std::size_t i = 0; i < decoded.tokens.size() && i < weights.n_rows; ++i)
    if (const arma::rowvec sorted = arma::sort(weights.row(i), "descend");
        sorted.n_elem < 2 || sorted(0) >= clearly * sorted(1))
      pairs.push_back(alignment.labels[0][i] + " ← " + alignment.labels[1][weights.row(i).index_max()]);
  trace.facts["glimpse_model"] = name;
  trace.facts["glimpse_text"] = text;
  trace.facts["glimpse_answer"] = trained.card.tgt.decode(decoded.tokens);
  trace.facts["glimpse_pairs"] = listed(pairs);
}

} // namespace tfx
