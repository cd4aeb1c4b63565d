// tfx generate: a decoder goes on with a text.

#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/lesson/save.hpp"
#include "cli/lesson/screen.hpp"
#include "cli/options.hpp"
#include "cli/terminal_lines.hpp"
#include "core/number.hpp"
#include "lessons/known_models.hpp"
#include "model/checkpoint.hpp"
#include "model/counts.hpp"
#include "model/text_writer.hpp"
#include "ngram/copied.hpp"
#include "text/names.hpp"
#include "text/utf8.hpp"
#include "train/corpus.hpp"
#include "words/in_words.hpp"

namespace tfx {

namespace {

struct GenerateOptions {
  std::string model;
  std::optional<std::string> text, corpus;
  std::vector<std::string> more_files; ///< of the corpus, behind the first
  std::optional<std::size_t> heads, count, max_tokens, top_k;
  std::optional<double> temperature, top_p;
  std::optional<std::uint32_t> seed;
  ShowOptions show;
};

constexpr std::size_t usual_tokens = 200;
constexpr double usual_temperature = 0.8;

const std::vector<Option<GenerateOptions>>& generate_options() {
  using O = GenerateOptions;
  using Row = Option<O>;
  static const std::vector<Row> table{
      Row("--model", &O::model, value::text("FILE")).described("generate--model"),
      Row("--text", &O::text, value::text("TEXT")).described("generate--text"),
      Row("--count", &O::count, value::count(1, 1000), 1).described("generate--count"),
      Row("--max-tokens", &O::max_tokens, value::count(1, 100'000), usual_tokens)
          .described("generate--max-tokens"),
      Row("--temperature", &O::temperature, value::temperature(), usual_temperature),
      Row("--top-k", &O::top_k, value::count()).described("decode--top-k"),
      Row("--top-p", &O::top_p, value::number("P", 0.001, 1), 1).described("decode--top-p"),
      Row("--seed", &O::seed, value::seed(), 42).described("decode--seed"),
      Row("--heads", &O::heads, value::count()).described("decode--heads"),
      Row("--corpus", &O::corpus, value::text("FILE")).described("generate--corpus")};
  return table;
}

struct Loaded {
  Transformer<float> model;
  ModelCard card;
  Documents documents; ///< how its text was cut
};

Loaded load(const GenerateOptions& o) {
  const TensorFile file = model_file(o.model);
  GivenStyle style;
  style.heads = o.heads;
  Loaded loaded{load_model<float>(file, style), {}, corpus_rule_in(file.metadata()).documents};
  loaded.card = card_or_ids(file, loaded.model.spec);
  return loaded;
}

GenerateRequest request_of(const GenerateOptions& o, const ModelCard& card) {
  GenerateRequest request;
  if (o.text && !o.text->empty()) request.prompt = card.tgt.encode_as_written(*o.text);
  request.sampling = {o.temperature.value_or(usual_temperature), o.top_k, o.top_p.value_or(1),
                      o.seed.value_or(42)};
  request.max_tokens = o.max_tokens.value_or(usual_tokens);
  return request;
}

/// The first ones of a page; all of them in the JSON document.
ReportTable token_table(const GeneratedText& text, const ModelCard& card, std::size_t count) {
  const bool is_all = count == text.tokens.size();
  ReportTable table{is_all ? "tokens" : "first_tokens",
                    {"id", "token", "probability", "drawn_with", "out_of", "runners_up"},
                    {"token", "probability", "drawn_with", "runners_up"}};
  for (std::size_t i = 0; i < count; ++i) {
    const GeneratedToken& one = text.tokens[i];
    std::string others;
    for (const auto& [token, probability] : one.runners_up)
      others += (others.empty() ? "" : "  ") + card.tgt.shown(token) + " " + format_number(probability, 3);
    table.rows.push_back({Count{one.token}, card.tgt.shown(one.token), one.probability, one.drawn.probability,
                          Count{one.kept}, others});
  }
  return table;
}

void say_copied(Report& report, const GenerateOptions& o, const Loaded& loaded, const TokenIds& written) {
  const std::vector<std::string> files = corpus_files(o.corpus, o.more_files);
  if (files.empty()) return;
  const Corpus corpus = read_corpus(files, loaded.documents);
  const TaskFacts facts{.name = loaded.card.task,
                        .tgt_vocabulary = loaded.card.tgt,
                        .start = loaded.card.start,
                        .end = loaded.card.end.value_or(loaded.card.start)};
  report.trace.facts[corpus.sha256 == loaded.card.sha256 ? "corpus" : "other_corpus"] =
      printable(join(files, " "));
  std::vector<TokenIds> documents;
  for (const std::string& document : corpus.documents)
    documents.push_back(document_example(facts, document).tgt);
  const Copied copied = longest_copied(written, documents);
  const auto begin = written.begin() + static_cast<std::ptrdiff_t>(copied.begin);
  report.add("copied_tokens", Count{copied.length});
  report.add("copied", loaded.card.tgt.decode({begin, begin + static_cast<std::ptrdiff_t>(copied.length)}));
  report.say("copied.other"), report.say("copied.run");
}

/// Writes tokens to the terminal as they come; the bytes of a character that is not whole yet wait for the
/// next.
class Stream {
public:
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  Stream(const ModelCard& card, const TokenIds& prompt) : card_(card) {
    say(escape_controls_in_lines(card.tgt.decode(prompt)));
  }
  ~Stream() { say(escape_controls_in_lines(card_.tgt.decode(waiting_)) + "\n\n"); }

  void operator()(std::uint32_t token) {
    constexpr std::size_t longest_character = 4; // bytes
    waiting_.push_back(token);
    const std::string text = card_.tgt.decode(waiting_);
    if (text.ends_with("\uFFFD") && waiting_.size() < longest_character) return;
    say((card_.tgt.tokenizer == Tokenizer::ids ? " " : "") + escape_controls_in_lines(text));
    waiting_.clear();
  }

private:
  const ModelCard& card_;
  TokenIds waiting_;
};

GeneratedText written_text(const Loaded& loaded, const GenerateRequest& request, std::size_t number,
                           bool streams) {
  if (!streams) return generate_text(loaded.model, loaded.card, request, number);
  Stream stream(loaded.card, request.prompt);
  return generate_text(loaded.model, loaded.card, request, number,
                       [&](std::uint32_t token) { stream(token); });
}

Report run(const GenerateOptions& o, Context&) {
  if (o.model.empty()) throw usage_error("generate_model", {});
  const Loaded loaded = load(o);
  const ModelCard& card = loaded.card;
  const GenerateRequest request = request_of(o, card);
  const bool streams = !o.show.json && shows_screen();
  Report report{frame_of_command("generate"), {}};
  report.frame.with_time = !o.show.no_time;
  report.add("model", o.model);
  report.add("parameters", Count{count_parameters(loaded.model)});
  report.add("context", Count{loaded.model.spec.max_len});
  report.add("temperature", request.sampling.temperature);
  report.say("intro");
  if (card.tgt.holds_unknown(request.prompt)) {
    report.trace.facts["unknown_read"] = card.tgt.decode(request.prompt);
    report.say("unknown");
  }
  ReportTable texts{"texts", {"text"}, {}};
  const std::size_t texts_asked = o.count.value_or(1);
  GeneratedText first;
  for (std::size_t i = 0; i < texts_asked; ++i) {
    GeneratedText one = written_text(loaded, request, i, streams);
    const std::string text = card.tgt.decode(request.prompt) + card.tgt.decode(written_tokens(one, card));
    texts.rows.push_back({text});
    report.say("text", {{"text", split_lines(text)}}); // a pager hides what was streamed
    if (i == 0) first = std::move(one);
  }
  report.add(std::move(texts));
  if (first.has_slid) report.say("slid");
  constexpr std::size_t rows = 16;
  const std::size_t count = first.tokens.size();
  report.say(texts_asked > 1 ? "tokens.first" : "tokens");
  if (count > rows) report.add(token_table(first, card, rows)), report.say("more");
  ReportTable all = token_table(first, card, count);
  if (count > rows) all.shown.clear();
  report.add(std::move(all));
  say_copied(report, o, loaded, written_tokens(first, card));
  return report;
}

} // namespace

Command generate_command() {
  return report_row<GenerateOptions, run>("generate", [](CLI::App& command, GenerateOptions& o, Context&) {
    add_argument(command, "FILES", o.more_files, in_words("corpus.files"));
    add_options(command, generate_options(), o);
    add_options(command, page_options(), o.show);
    add_options<ShowOptions>(command, {{"--no-time", &ShowOptions::no_time}}, o.show);
  });
}

} // namespace tfx
