#include "cli/lesson/screen.hpp"

#include "cli/add_option.hpp"
#include "cli/course/progress_file.hpp"
#include "cli/decode/decoding.hpp"
#include "cli/decode/trained_model.hpp"
#include "cli/options.hpp"
#include "cli/quiz/question_dialogue.hpp"
#include "cli/terminal_lines.hpp"
#include "course/model_map.hpp"
#include "course/taught.hpp"
#include "input/tutorials.hpp"
#include "lessons/learned.hpp"
#include "lessons/run.hpp"
#include "lessons/trained.hpp"
#include "model/shipped.hpp"
#include "render/footer.hpp"
#include "text/display_width.hpp"
#include "text/names.hpp"
#include "trace/mistake.hpp"
#include "words/in_words.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

namespace tfx {

namespace {

bool tutorial_seeded(const std::string& name) {
  for (const Run& run : runs())
    if (run.name() == name) return run.seeded;
  return true;
}

// What of the options the next lesson reads; several heads where it is about them and the width has halves.
InputOptions for_next(const InputOptions& options, const Lesson& next, const Trace& trace) {
  InputOptions wanted = options; // a decoder alone is no model for every lesson, nor another for all
  const bool of_decoder = reads_decoder_alone(next),
             of_both = next.causal_by_default() || next.takes(Input::cache),
             turns = trace.facts.contains("rotary"); // as a decoder alone
  if (turns || trace.facts.contains("decoder_alone") ? !of_decoder && !of_both : of_decoder)
    wanted.model.reset();
  if (next.takes(Input::rotary) && !turns) wanted.model.reset();
  if (options.logits && !next.takes(Input::logits)) wanted.labels.reset(); // they belong to its rows
  InputOptions read = fitting(input_options(), wanted, InputRules(next));
  const Step* X = trace.find("X");
  if (next.takes(Input::heads) && !read.heads && !read.model && X && X->value.shape.back() % 2 == 0)
    read.heads = 2;
  if (next.takes(Input::subwords)) read.text.reset();   // a sentence may have no pair that stands twice
  if (find_lesson(trace.lesson).takes(Input::repeated)) // whose words are symbols
    read.text.reset(), read.model.reset();
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
std::string learned_instead(const Lesson& lesson, const InputOptions& options,
                            const std::optional<Learned>& box) {
  InputOptions learned;
  if (box) {
    learned.model = box->model, learned.text = box->text;
    if (box->layer) learned.layer = *box->layer;
    if (lesson.takes(Input::W_QKV) && !lesson.takes(Input::heads)) learned.head = box->rows[0].head;
    return lesson.typed + typed_again(input_options(), learned);
  }
  const std::optional<std::string> reader = options.text ? model_that_reads(*options.text) : std::nullopt;
  if (reader) learned.text = options.text;
  learned.model = reader ? *reader : translator;
  if (!reader) learned.text = usual_sentence;
  return lesson.typed + typed_again(input_options(), learned);
}

// The words that the translator reads: of the decoder's two texts the source.
const std::optional<std::string>& words_read(const Lesson& lesson, const InputOptions& options) {
  return lesson.takes(Input::memory) ? options.source : options.text;
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
  const Lesson& lesson = find_lesson(command);
  screen.folder = lesson.folder, screen.number = lesson.number, screen.place = place_in_model(lesson);
  return screen;
}

Screen frame_of_command(const std::string& command) {
  Screen screen;
  screen.command = screen.typed = command, screen.folder = "src/cli/" + command, screen.is_lesson = false;
  return screen;
}

Sentence title_of(const Lesson& lesson) {
  return either(title_in(lesson.folder, Language::en), title_in(lesson.folder, Language::zh));
}

void name_lesson(Screen& frame, Trace& trace, const Lesson& lesson) {
  frame.part = "lesson";
  for (const auto& [name, in] : {std::pair("en", Language::en), std::pair("zh", Language::zh)}) {
    trace.facts[std::string("number_") + name] = in_course(lesson.number, common_words(in));
    trace.facts[std::string("title_") + name] = title_in(lesson.folder, in);
  }
}

namespace {

std::vector<std::string> names_of_pages(const Lesson& lesson) {
  std::vector<std::string> names;
  for (const FurtherPage& further : lesson.further) names.push_back(further.name);
  return names;
}

} // namespace

void add_page_argument(CLI::App& command, const Lesson& lesson, std::optional<std::string>& page) {
  add_argument(command, "PAGE", page, in_words("lesson.page", {{"names", listed(names_of_pages(lesson))}}));
}

void turn_to(Screen& screen, const Lesson& lesson, const std::optional<std::string>& page) {
  const std::vector<std::string> names = names_of_pages(lesson);
  if (page && std::ranges::count(names, *page) == 0)
    throw usage_error("no_further", {{"lesson", lesson.typed},
                                     {"name", *page},
                                     {"near", suggestion(nearest(*page, names))},
                                     {"names", listed(names)}});
  screen.part = page.value_or(""), screen.typed = typed_of(lesson, screen.part);
  screen.further = lesson.further;
  if (const std::string next = page_after(lesson, screen.part); !next.empty())
    screen.next = typed_of(lesson, next) + screen.options;
}

Screen screen_of(const Lesson& lesson, const InputOptions& options, const Trace& trace) {
  Screen screen = frame_of(lesson.command);
  screen.typed = lesson.typed;
  screen.counts = !lesson.number || lesson.number >= find_lesson("masked").number; // the first ones only look
  if (lesson.takes(Input::norms) && !trace.find("residual_2")) // the layer's last step is a sum
    screen.place = place_in_model(lesson, NormPlacement::pre_norm);
  screen.options = typed_again(input_options(), options);
  screen.is_own = options.text || options.words || options.x || options.q || options.k || options.v ||
                  options.logits || options.model;
  const bool goes_on = screen.is_own || (options.seed && !options.tutorial);
  if (const Lesson* next = lesson_after(lesson.command); goes_on && next && next->on_page == OnPage::whole)
    screen.next += typed_again(input_options(), for_next(options, *next, trace));
  else if (options.model && next && next->command == "model")
    screen.next += whole_model(options, trace);
  screen.page = in_order_of(trace, lesson.page);
  screen.tutorial_seeded = tutorial_seeded(trace.tutorial);
  screen.can_break = std::ranges::count(mistakes(), lesson.folder, &Mistake::folder) > 0;
  return screen;
}

void add_learned(Screen& screen, const Lesson& lesson, const InputOptions& options, const Trace& trace,
                 bool ascii) {
  if (!options.model) {
    if (const auto& words = words_read(lesson, options)) {
      screen.box = learned_of(lesson.command, *words);
      if (!screen.box && usual_learned(lesson.command) && !knows_words(*words))
        screen.unknown_to = translator;
    } else if (typed_again(input_options(), options).empty()) {
      screen.box = usual_learned(lesson.command);
    }
  }
  if (ascii && screen.box && !screen.box->answer.empty()) screen.box.reset(); // it is written in Chinese
  if (drawn_names(trace).empty() || !usual_model()) return;
  if (lesson.takes(Input::rotary)) { // no shipped model has them
    screen.learned = trains_rotary;
    return;
  }
  screen.learned = lesson.from_model ? learned_instead(lesson, options, screen.box)
                                     : "model --weights " + std::string(translator) + " --text " +
                                           shell_quoted(usual_sentence);
}

int status_of(const Trace& trace) {
  return std::ranges::all_of(trace.checks, &Check::pass) ? 0 : 1;
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
      pairs.push_back(token_name(trained.card.tgt, decoded.written[i].token) + " ← " +
                      alignment.labels[1][weights.row(i).index_max()]);
  trace.facts["glimpse_model"] = name;
  trace.facts["glimpse_text"] = text;
  trace.facts["glimpse_answer"] = trained.card.tgt.decode(decoded.tokens);
  trace.facts["glimpse_pairs"] = listed(pairs);
}

namespace {

constexpr std::size_t rows_a_step = 18; // an answer and why stand above

// Where the next screen may begin: behind an empty line; else before a line that goes on with none above.
std::size_t cut_of(const std::vector<std::string>& lines, std::size_t begin) {
  const std::size_t end = begin + rows_a_step;
  if (end >= lines.size()) return lines.size();
  for (std::size_t cut = end; cut > begin + 1; --cut)
    if (lines[cut - 1].empty()) return cut;
  for (std::size_t cut = end; cut > begin; --cut)
    if (!lines[cut].starts_with(' ')) return cut;
  return end;
}

// To a learner who reads at their own pace: a screen at once.
void say_in_steps(const std::string& text, const std::string& more) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  for (std::size_t begin = 0; begin < lines.size();) {
    for (const std::size_t end = cut_of(lines, begin); begin < end; ++begin) say(lines[begin] + "\n");
    if (begin < lines.size()) say(more), next_line();
  }
}

// What earlier lessons have shown stands in a line; what the page does alike for another tensor, too.
std::map<std::string, std::string> folded_in(const Trace& trace) {
  const Words course = course_words();
  std::map<std::string, std::string> folded;
  for (const Step& step : trace.steps) {
    if (step.role == Role::before || step.operation.is(op::given)) continue;
    if (const Lesson* lesson = taught_before(trace, step))
      folded[step.name] = *fill_in(*course.find("step.taught"), [&](const std::string& name) {
        return std::optional(name == "number" ? number_of(*lesson) : lesson->typed);
      });
    else if (step.role == Role::recap)
      folded[step.name] = *course.find("step.alike");
  }
  // What is given for these alone says nothing more.
  for (const Step& given : trace.steps) {
    if (!given.operation.is(op::given)) continue;
    bool is_read = false, is_needed = false;
    for (const Step& step : trace.steps) {
      if (!std::ranges::count(step.operation.inputs, given.name)) continue;
      is_read = true;
      is_needed = is_needed || !folded.contains(step.name);
    }
    if (is_read && !is_needed) folded[given.name] = "";
  }
  return folded;
}

} // namespace

void step_through(const Trace& trace, Screen screen, const Words& words, std::uint64_t seed,
                  Context& context) {
  const Style style = context.style();
  screen.folded = folded_in(trace);
  screen.with_draws = false; // of a layer they would take a screen and more
  std::vector<Question> asked = step_questions(trace, seed, style.precision);
  if (trace.gradients.empty()) // the screen has no way back
    std::erase_if(asked, [&](const Question& question) {
      return trace.step_named(question.tensor).role == Role::gradient;
    });
  std::set<std::string> pauses;
  for (const Question& question : asked) pauses.insert(question.tensor);
  const auto is_unseen = [&](const Question& question) {
    return std::ranges::any_of(trace.step_named(question.tensor).operation.inputs,
                               [&](const std::string& input) { return screen.folded.contains(input); });
  };
  ask_between(trace, render_parts(trace, screen, words, style, pauses), asked, is_unseen, words,
              screen.command, context);
}

void ask_between(const Trace& trace, const std::vector<std::string>& parts,
                 const std::vector<Question>& asked, const std::function<bool(const Question&)>& is_unseen,
                 const Words& words, const std::string& lesson, Context& context) {
  const Style style = context.style();
  const Words course = course_words();
  const bool waits = is_dialogue();
  bool asks = true;
  std::size_t right = 0;
  const std::string more = style.dim(*course.find("step.more")) + " ";
  std::string unsaid; // what stands between two answers is one text, cut where a screen is full
  const auto write = [&](const std::string& text) { (waits ? unsaid : context.out) += text; };
  const auto flush = [&] { say_in_steps(std::exchange(unsaid, {}), more); };
  // What will happen, and why: before the lesson's own tensor, or the last one asked about on the way there.
  std::size_t predicted = 0;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const Step* step = trace.find(asked[i].tensor);
    if (step && step->role == Role::gradient) break;
    predicted = i;
    if (asked[i].tensor == trace.main) break;
  }
  const Paper paper(trace, words, style);
  const auto predict = paper.word("predict"), because = paper.word("because");
  write(parts.front());
  if (waits)
    for (const std::string& line : wrap(style.symbols(*course.find("step.how")), style.width))
      write(style.dim(line) + "\n");
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (asks && i == predicted && predict && because) {
      write("\n" + style.bold(labelled(trace, course, style, "predict", *predict)));
      if (waits) flush(), say(more), asks = next_line().has_value();
      if (asks) write(labelled(trace, course, style, "answer", *because));
    }
    const QuestionText text(trace, asked[i], style);
    if (asks) write((waits ? "\n" : "") + style.bold(labelled(trace, course, style, "question", text.ask())));
    if (asks && is_unseen(asked[i]))
      for (const std::string& line : text.given()) write(line + "\n");
    if (asks && waits) {
      flush();
      const Outcome outcome = answer_at_terminal(trace, asked[i], text, course, style).outcome;
      right += outcome == Outcome::right;
      asks = outcome != Outcome::ended;
    } else if (asks) {
      write(labelled(trace, course, style, "answer", text.answer()) + reason(text, style));
    }
    write((asks ? "\n" : "") + parts[i + 1]);
  }
  if (!waits) return;
  flush();
  const auto score = fill_in(*course.find("step.score"), [&](const std::string& name) {
    return std::optional(std::to_string(name == "right" ? right : asked.size()));
  });
  say("\n" + style.bold(*score) + "\n");
  record_progress(lesson, right == asked.size() ? Mark::done : Mark::seen, context);
}

} // namespace tfx
