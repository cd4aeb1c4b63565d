#include "cli/report/sections.hpp"

#include "cli/decode/trained_model.hpp"
#include "cli/lesson/save_html.hpp"
#include "cli/options.hpp"
#include "cli/params/rows.hpp"
#include "core/number.hpp"
#include "lessons/run.hpp"
#include "model/shipped.hpp"
#include "parity/model_page.hpp"
#include "parity/model_run.hpp"
#include "parity/proofs.hpp"
#include "render/html/heat_map.hpp"
#include "render/html/matrix_table.hpp"
#include "render/html/section.hpp"
#include "render/screen_number.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tfx {

using namespace decoding;

namespace {

/// A longer text makes pictures that nobody reads.
constexpr std::size_t max_tokens = 16;

struct Answered {
  TrainedModel trained;
  std::string text;
  Decoded decoded;
  bool own_text = false;
};

Answered answer_of(TrainedModel trained, const std::string& text) {
  const TokenIds src = trained.card.src.encode(text);
  if (src.empty() || src.size() > max_tokens)
    throw Error(ErrorKind::usage, fmt::format("the text has {} tokens", src.size()));
  Request request;
  request.limits = limits_of({}, trained, src.size());
  Answered answered{std::move(trained), text, {}};
  answered.decoded = decode_text(answered.trained.model, answered.trained.card, src, request);
  prove(answered.decoded, answered.trained.model, answered.trained.card, request);
  return answered;
}

/// The first shipped model that reads the learner's text; without one the usual model's own example.
Answered answered(const ReportOptions& options) {
  if (options.input.text)
    for (const std::string& name : shipped_models()) try {
        TrainedOptions wanted;
        wanted.model = name;
        TrainedModel trained = trained_model(wanted);
        if (!knows(trained.card, *options.input.text)) continue;
        Answered result = answer_of(std::move(trained), *options.input.text);
        result.own_text = true;
        return result;
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::usage && error.kind() != ErrorKind::bad_data) throw;
      }
  TrainedModel trained = trained_model({});
  const std::string text = example_text(trained.card);
  return answer_of(std::move(trained), text);
}

std::vector<std::string> names_of(const Vocabulary& vocabulary, const TokenIds& ids) {
  std::vector<std::string> names;
  for (const std::uint32_t id : ids) names.push_back(name_of(vocabulary, id));
  return names;
}

enum class AttentionKind { encoder, decoder, source };

bool is_of(const Step& step, AttentionKind kind) {
  switch (kind) {
  case AttentionKind::encoder:
    return step.name.starts_with("encoder.") && step.name.ends_with(".self_attn.weights");
  case AttentionKind::decoder:
    return step.name.starts_with("decoder.") && step.name.ends_with(".self_attn.weights");
  case AttentionKind::source: return step.name.ends_with(".src_attn.weights");
  }
  return false;
}

/// The page's run of the same model on the same tokens, its attention named by them, with the engine's
/// checks.
Trace explained(const Answered& a) {
  const EncoderDecoder<double>& model = a.trained.model;
  TokenIds tgt{a.trained.card.start};
  for (std::size_t i = 0; i + 1 < a.decoded.written.size(); ++i) tgt.push_back(a.decoded.written[i].token);
  const Batch src = ragged_batch({a.decoded.src}), target = ragged_batch({tgt});
  const auto nothing_is_padding =
      static_cast<std::uint32_t>(std::max(model.config.src_vocab, model.config.tgt_vocab));
  ModelRun run = run_model(model, src, target, nothing_is_padding, [](const std::string&) { return false; });
  Trace trace = run_model_page(page_of(model, src, target, nothing_is_padding));
  trace.lesson = "model";
  trace.facts = run.trace.facts, trace.checks = run.trace.checks, trace.measured = run.trace.measured;
  const std::vector<std::string> read = names_of(a.trained.card.src, a.decoded.src),
                                 seen = names_of(a.trained.card.tgt, tgt);
  std::vector<std::string> written;
  for (const WrittenToken& one : a.decoded.written) written.push_back(name_of(a.trained.card.tgt, one.token));
  for (Step& step : trace.steps)
    for (const char* part : {".scores", ".scaled", ".masked", ".weights"}) {
      if (!step.name.ends_with(std::string("attn") + part) || step.value.rank() != 3) continue;
      const bool source = step.name.find("src_attn") != std::string::npos,
                 decoder = step.name.starts_with("decoder.");
      step.labels = {{}, source ? written : decoder ? seen : read, decoder && !source ? seen : read};
    }
  return trace;
}

Screen screen_for(const Answered& a, std::size_t number, const ReportOptions& options) {
  Screen screen;
  screen.with_time = !options.no_time;
  screen.command = screen.typed = "decode", screen.number = number;
  screen.options = " --model " + quoted(a.trained.name) + " --text " + quoted(a.text) + " --align";
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

void add_heads(Section& section, const Trace& trace, const Screen& screen, AttentionKind kind) {
  constexpr const char* titles[] = {"report.kind.encoder", "report.kind.decoder", "report.kind.source"};
  const Bilingual& words = section.words();
  section.add(element("h3", {{"class", "kind"}}, words.ui(titles[static_cast<int>(kind)])));
  std::size_t layer = 0;
  for (const Step& step : trace.steps) {
    if (!is_of(step, kind)) continue;
    Html pictures;
    for (std::size_t head = 0; head < step.value.shape[0]; ++head)
      pictures += element("div", element("p", {{"class", "name"}},
                                         words.ui("report.place", {{"layer", std::to_string(layer)},
                                                                   {"head", std::to_string(head)}})) +
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
  Section section(trace, both_words(find_lesson("model").folder), style);
  const Screen screen = screen_for(a, 12, options);
  section.title(screen);
  if (options.input.text && !a.own_text)
    section.add(
        element("div", {{"class", "remark"}}, element("p", section.words().ui("report.cannot_read"))));
  section.paragraph("intro");
  section.add(reads(section.words(), a));
  section.add(element("p", section.words().ui("report.attention")));
  for (const AttentionKind kind : {AttentionKind::encoder, AttentionKind::decoder, AttentionKind::source})
    add_heads(section, trace, screen, kind);
  section.looks();
  section.checks();
  return section.take("model");
}

Html row_of(const std::vector<std::string>& cells) {
  Html row = element("th", {{"scope", "row"}}, Html::text(cells[0]));
  for (std::size_t i = 1; i < cells.size(); ++i) row += element("td", cells[i]);
  return row;
}

Html table_of(const Html& head, const Html& body) {
  const Html table =
      element("table", {{"class", "counts"}}, element("thead", element("tr", head)) + element("tbody", body));
  return element("div", {{"class", "band"}},
                 element("figure", {{"class", "step"}}, element("div", {{"class", "box"}}, table)));
}

Html heading(const Html& content) {
  return element("th", {{"scope", "col"}}, content);
}

Html tokens_table(const Bilingual& words, const Answered& a) {
  const int precision = words.style().precision;
  const auto number = [&](double value) { return screen_number(value, precision); };
  Html head = element("td", Html()), body;
  for (const char* key : {"log_prob", "probability", "runner_up"})
    head += heading(words.word(std::string("column.") + key));
  for (const WrittenToken& one : a.decoded.written)
    body += element("tr", row_of({name_of(a.trained.card.tgt, one.token), number(one.log_prob),
                                  number(std::exp(one.log_prob)),
                                  name_of(a.trained.card.tgt, one.runner_up) + "  " +
                                      number(std::exp(one.runner_up_log_prob))}));
  return table_of(head, body);
}

Html decode_section(Answered& a, const ReportOptions& options, const Style& style) {
  Trace& trace = a.decoded.trace;
  trace.facts["text"] = a.text, trace.facts["model"] = a.trained.name;
  trace.facts["src_count"] = static_cast<double>(a.decoded.src.size());
  trace.facts["greedy"] = a.trained.name;
  Section section(trace, both_words(find_lesson("decode").folder), style);
  const Bilingual& words = section.words();
  section.title(screen_for(a, 15, options));
  section.paragraph("intro");
  section.add(reads(words, a));
  section.paragraph("how.greedy");
  section.add(tokens_table(words, a));
  section.paragraph("alignment");
  section.add(element(
      "div", {{"class", "band"}},
      step_figure(words, trace.steps.front(), {}, heat_map(trace.steps.front(), 0, style, &section.book()))));
  section.looks();
  section.checks();
  section.row("cost", element("p", words.word("cost")));
  return section.take("decoding");
}

params::Counted counted_model(const Answered& a) {
  params::ModelShape shape = params::shape_of(a.trained.model.config);
  shape.seq = a.decoded.src.size(), shape.tgt_seq = a.decoded.written.size();
  return params::counted(a.trained.name, shape, nullptr);
}

Html params_section(const Answered& a, const Style& style) {
  const params::Counted model = counted_model(a);
  Trace trace;
  constexpr params::Precision precision = params::Precision::f32;
  trace.lesson = "params", trace.facts["dtype"] = word_of(params::precisions(), precision);
  params::remark(trace, model, precision);
  Section section(trace, both_words(find_lesson("params").folder), style);
  const Bilingual& words = section.words();
  Screen screen;
  screen.command = screen.typed = "params", screen.number = 17;
  section.title(screen);
  section.add(
      element("p", words.ui("report.params", {{"src_vocab", std::to_string(model.shape->src_vocab)},
                                              {"tgt_vocab", std::to_string(model.shape->tgt_vocab)}})));
  const double all = model.sum.parameters.estimate();
  Html head = heading(words.ui("report.module")), body;
  for (const char* key : {"report.parameters", "report.share", "report.formula"})
    head += heading(words.ui(key));
  for (const ModuleRow& row : module_rows(model.root, By::module)) {
    const params::Figure count = row.sum.parameters * row.times;
    if (count.value() == 0) continue;
    body += element("tr", {{"class", row.indent ? "inner" : "outer"}},
                    row_of({row.name, with_separators(count.value()),
                            fmt::format("{:.1f} %", 100 * count.estimate() / all),
                            formula_of(row.sum.parameters, row.times)}));
  }
  Html total = element("th", {{"scope", "row"}}, words.ui("report.total"));
  for (const std::string& cell : {with_separators(model.sum.parameters.value()), std::string("100 %"),
                                  formula_of(model.sum.parameters, 1)})
    total += element("td", cell);
  body += element("tr", {{"class", "total"}}, total);
  section.add(table_of(head, body));
  Html looks;
  for (const char* key : {"look.pair", "look.overtakes", "look.missed", "look.buffers"})
    if (const Html text = words.word(key); !text.empty()) looks += element("p", text);
  section.row("look", looks);
  section.checks();
  return section.take("counted");
}

} // namespace

std::map<std::string, Html> model_sections(const ReportOptions& options, Context& context) {
  Answered a = answered(options);
  const Style style = context.style();
  std::map<std::string, Html> sections;
  sections.emplace("model", attention_section(a, options, style));
  sections.emplace("decode", decode_section(a, options, style));
  sections.emplace("params", params_section(a, style));
  return sections;
}

} // namespace tfx
