#include "cli/report/sections.hpp"

#include "cli/decode/answer.hpp"
#include "cli/decode/decoding.hpp"
#include "cli/decode/trained_model.hpp"
#include "cli/lesson/save.hpp"
#include "cli/lesson/screen.hpp"
#include "cli/options.hpp"
#include "cli/params/report.hpp"
#include "core/number.hpp"
#include "lessons/known_models.hpp"
#include "lessons/learned.hpp"
#include "lessons/run.hpp"
#include "model/head_roles.hpp"
#include "model/shipped.hpp"
#include "parity/model_page.hpp"
#include "parity/model_run.hpp"
#include "render/html/charts.hpp"
#include "render/html/matrix_table.hpp"
#include "render/html/section.hpp"
#include "render/style.hpp"
#include "text/names.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tfx {

namespace {

/// A longer text makes pictures that nobody reads.
constexpr std::size_t max_tokens = 16;

struct Answered {
  TrainedModel trained;
  std::string text;
  Decoded decoded;
  bool own_text = false;
  std::size_t too_long = 0; ///< tokens of the learner's text, where that is why it was not taken
};

Answered answer_of(TrainedModel trained, const std::string& text) {
  const TokenIds src = trained.card.src.encode(text);
  DecodeRequest request;
  request.limits = limits_of({}, trained, src.size());
  Answered answered{std::move(trained), text, {}};
  answered.decoded = decode_text(answered.trained.model, answered.trained.card, src, request);
  prove_decoding(answered.decoded, answered.trained.model, answered.trained.card, request);
  return answered;
}

/// Tokens of a text; none where the model cannot read it.
std::size_t tokens_read(const ModelCard& card, const std::string& text) try {
  return card.src.encode(text).size();
} catch (const Error& error) {
  if (error.kind() != ErrorKind::usage && error.kind() != ErrorKind::bad_data) throw;
  return 0;
}

/// The model that --model names, else the first shipped one that knows the learner's text, else the usual
/// one.
TrainedModel model_for(const InputOptions& input) {
  if (input.model) {
    const TensorFile file = model_file(*input.model);
    require_encoder_decoder(file);
    TrainedModel trained{*input.model, load_model<double>(file, given_style(input, file)), {}};
    trained.card = card_or_ids(file, trained.model.spec);
    return trained;
  }
  TrainedOptions wanted;
  if (input.text)
    wanted.model = model_that_reads(*input.text);
  else if (std::ranges::count(shipped_models(), translator) > 0)
    wanted.model = translator;
  return trained_model(wanted);
}

/// What the model writes for the learner's text, or for its own example where that cannot be read or drawn.
Answered answered(const InputOptions& input) {
  TrainedModel trained = model_for(input);
  const bool fits = input.text && (input.model || knows(trained.card, *input.text));
  const std::size_t tokens = fits ? tokens_read(trained.card, *input.text) : 0;
  const bool is_own = tokens > 0 && tokens <= max_tokens;
  const bool is_usual = !input.text && !input.model && trained.name == translator;
  const std::string text = is_own ? *input.text : is_usual ? usual_sentence : example_text(trained.card);
  Answered result = answer_of(std::move(trained), text);
  result.own_text = is_own;
  if (tokens > max_tokens) result.too_long = tokens;
  return result;
}

std::vector<std::string> names_of(const Vocabulary& vocabulary, const TokenIds& ids) {
  std::vector<std::string> names;
  for (const std::uint32_t id : ids) names.push_back(token_name(vocabulary, id));
  return names;
}

bool is_of(const Step& step, AttentionKind kind) {
  return step.name.ends_with("attn.weights") && attention_kind(step.name) == kind;
}

/// What the encoder reads, and what the decoder reads of the answer.
RolePair pair_of(const Answered& a) {
  RolePair pair{a.decoded.src, {a.trained.card.start}, names_of(a.trained.card.src, a.decoded.src), {}};
  for (std::size_t i = 0; i + 1 < a.decoded.written.size(); ++i)
    pair.tgt.push_back(a.decoded.written[i].token);
  pair.tgt_names = names_of(a.trained.card.tgt, pair.tgt);
  return pair;
}

/// The page's run of the same model on the same tokens, its attention named by them, with the engine's
/// checks.
Trace explained(const Answered& a) {
  const Transformer<double>& model = a.trained.model;
  const auto [src_ids, tgt_ids, read, seen, aligned] = pair_of(a);
  const Batch src = ragged_batch({src_ids}), target = ragged_batch({tgt_ids});
  const auto nothing_is_padding =
      static_cast<std::uint32_t>(std::max(model.spec.src_vocab, model.spec.tgt_vocab));
  ModelRun run = run_model(model, src, target, nothing_is_padding, [](const std::string&) { return false; });
  Trace trace = run_model_page(page_of(model, src, target, nothing_is_padding));
  trace.lesson = "model";
  trace.facts = run.trace.facts, trace.checks = run.trace.checks, trace.measured = run.trace.measured;
  std::vector<std::string> written;
  for (std::size_t i = 0; i < seen.size(); ++i)
    written.push_back(read_and_written(seen[i], token_name(a.trained.card.tgt, a.decoded.written[i].token)));
  for (Step& step : trace.steps)
    for (const char* part : {".scores", ".scaled", ".masked", ".weights"}) {
      if (!step.name.ends_with(std::string("attn") + part) || step.value.rank() != 3) continue;
      const bool source = step.name.find("src_attn") != std::string::npos,
                 decoder = step.name.starts_with("decoder.");
      step.labels = {{}, source ? written : decoder ? seen : read, decoder && !source ? seen : read};
    }
  return trace;
}

Screen screen_for(const Answered& a, const std::string& lesson, const ReportOptions& options) {
  Screen screen = frame_of(lesson);
  screen.with_time = !options.no_time;
  screen.command = screen.typed = "decode";
  screen.options =
      " --model " + shell_quoted(a.trained.name) + " --text " + shell_quoted(a.text) + " --align";
  return screen;
}

Html reads(const Bilingual& words, const Answered& a) {
  return element("p", words.ui("report.reads", {{"model", a.trained.name},
                                                {"text", a.text},
                                                {"answer", a.trained.card.tgt.decode(a.decoded.tokens)}}));
}

/// The scores that the softmax of some weights read.
const Step& scores_of(const Trace& trace, const Step& weights) {
  return *trace.find(weights.operation.inputs.at(0));
}

/// "layer 0, head 1: next token"
Html place_in(const Bilingual& words, std::size_t layer, const HeadScores& scores, std::size_t head) {
  const auto in = [&](const Paper& paper) {
    return paper.ui("report.place", {{"layer", std::to_string(layer)},
                                     {"head", std::to_string(head)},
                                     {"role", paper.role(scores.said())}});
  };
  return in_both({in(words.en()), in(words.zh())});
}

void add_heads(Section& section, const Trace& trace, const Screen& screen, AttentionKind kind,
               const RolePair& pair) {
  constexpr const char* titles[] = {"report.kind.encoder", "report.kind.decoder", "report.kind.source"};
  const Bilingual& words = section.words();
  section.add(element("h3", {{"class", "kind"}}, words.ui(titles[static_cast<int>(kind)])));
  std::size_t layer = 0;
  for (const Step& step : trace.steps) {
    if (!is_of(step, kind)) continue;
    HeadMeter meter;
    meter.add(step.name.substr(0, step.name.rfind('.')), step.value, pair);
    Html pictures;
    for (std::size_t head = 0; head < step.value.shape[0]; ++head)
      pictures += element(
          "div", element("p", {{"class", "name"}}, place_in(words, layer, meter.heads()[head], head)) +
                     heat_map(step, head, words.style(), &section.book()));
    const Html scores = element("details", element("summary", words.ui("report.scores")) +
                                               step_tables(words, scores_of(trace, step), section.book()));
    const Html content = element("div", {{"class", "slices"}}, pictures) + scores;
    section.add(element("div", {{"class", "band"}}, step_figure(words, step, screen, content)));
    ++layer;
  }
}

Html attention_section(const Answered& a, const ReportOptions& options, const Style& style) {
  const Trace trace = explained(a);
  const RolePair pair = pair_of(a);
  Section section(trace, both_words(find_lesson("model").folder), style);
  const Screen screen = screen_for(a, "model", options);
  section.title(screen);
  if (options.input.text && !a.own_text) {
    const char* key = a.too_long            ? "report.too_long"
                      : options.input.model ? "report.model_cannot_read"
                                            : "report.cannot_read";
    const Html why = section.words().ui(key, {{"count", std::to_string(a.too_long)},
                                              {"most", std::to_string(max_tokens)},
                                              {"model", a.trained.name}});
    section.add(element("div", {{"class", "remark"}}, element("p", why)));
  }
  section.paragraph("intro");
  section.add(reads(section.words(), a));
  section.add(element("p", section.words().ui("report.attention")));
  for (const AttentionKind kind : {AttentionKind::encoder, AttentionKind::decoder, AttentionKind::cross})
    add_heads(section, trace, screen, kind, pair);
  section.looks();
  section.checks();
  return section.take("model");
}

Html decode_section(const Answered& a, const ReportOptions& options, const Style& style) {
  Decoded decoded = a.decoded;
  Trace& trace = decoded.trace;
  std::erase_if(trace.steps,
                [](const Step& step) { return step.name != "alignment"; }); // the model's page has the heads
  trace.facts["src_count"] = static_cast<double>(decoded.src.size());
  trace.facts["greedy"] = a.trained.name;
  Screen frame = screen_for(a, "decode", options);
  frame.command = "decoding";
  const Report report =
      answer_report(std::move(frame), std::move(decoded), a.trained, a.text, {.is_lesson = true});
  return report_section(report, both_words(report.frame.folder), style);
}

params::Counted counted_model(const Answered& a) {
  params::ModelShape shape = params::shape_of(a.trained.model.spec);
  shape.seq = a.decoded.src.size(), shape.tgt_seq = a.decoded.written.size();
  return params::counted(a.trained.name, shape, nullptr);
}

Html params_section(const Answered& a, const Style& style) {
  Report report = count_report(counted_model(a), {});
  report.frame.command = "counted";
  report.next.clear(), report.onward.clear(); // the document is read, not typed
  return report_section(report, both_words(report.frame.folder), style);
}

} // namespace

std::map<std::string, Html> model_sections(const ReportOptions& options, Context& context) {
  Answered a = answered(options.input);
  const Style style = context.style();
  std::map<std::string, Html> sections;
  sections.emplace("model", attention_section(a, options, style));
  sections.emplace("decode", decode_section(a, options, style));
  sections.emplace("params", params_section(a, style));
  return sections;
}

} // namespace tfx
