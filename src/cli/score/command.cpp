// `tfx score`: a model's answers to held-out pairs, measured.

#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/context.hpp"
#include "cli/decode/answer.hpp"
#include "cli/decode/trained_model.hpp"
#include "cli/lesson/save.hpp"
#include "cli/lesson/screen.hpp"
#include "cli/score/corpus_score.hpp"
#include "cli/score/scoring.hpp"
#include "cli/text_lines.hpp"
#include "core/number.hpp"
#include "core/progress.hpp"
#include "io/csv.hpp"
#include "io/file.hpp"
#include "io/foreign_file.hpp"
#include "io/message.hpp"
#include "measure/bootstrap.hpp"
#include "model/shipped.hpp"
#include "text/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace tfx {

namespace {

struct ScoreOptions {
  TrainedOptions trained;
  std::optional<std::string> pairs, corpus, on, save;
  std::vector<std::string> more_files; ///< of the corpus, behind the first
  std::optional<Documents> documents;
  std::optional<std::size_t> beam, draws, worst;
  std::optional<double> length_penalty;
  std::optional<std::uint32_t> seed;
  std::optional<WeightType> weights; ///< nothing: in double
  bool json = false;
};

constexpr std::size_t usual_draws = 1000;

struct Scored {
  const std::vector<Pair>& pairs;
  std::vector<ScoredPair> answers;         ///< one a pair
  std::optional<Narrowing> narrowing = {}; ///< over the references and all tokens
};

/// A TSV has no quotes, and its texts no tabs.
std::string cell(const std::string& text, char separator) {
  const std::string safe = escape_controls(text);
  return separator == ',' ? csv_cell(safe) : safe;
}

/// The measures in the order in which they are shown, each with its name and the decimals of a page.
struct NamedMeasure {
  const char* name;
  double Measures::*value;
  int decimals;
};
constexpr std::array<NamedMeasure, 5> named_measures{{{"exact", &Measures::exact, 2},
                                                      {"bleu", &Measures::bleu, 2},
                                                      {"chrf", &Measures::chrf, 2},
                                                      {"loss", &Measures::loss, 4},
                                                      {"perplexity", &Measures::perplexity, 2}}};

void add_measures(Report& report, const Measures& measured, const Intervals& intervals) {
  ReportTable table;
  table.columns = table.shown = {"", "value", "low", "high"};
  for (const auto& [name, value, decimals] : named_measures) {
    std::vector<Cell> row{Sentence{std::string("row.") + name}};
    for (const auto& [column, measures] :
         {std::pair("value", &measured), {"low", &intervals.low}, {"high", &intervals.high}}) {
      row.push_back(Rounded{measures->*value, decimals});
      report.add(std::string(name) + "." + column, row.back());
    }
    table.rows.push_back(row);
  }
  report.add(table);
}

/// The pairs that are wrong, those of the lowest chrF first, at most so many.
std::vector<std::size_t> worst_of(const std::vector<ScoredPair>& answers, std::size_t most) {
  std::vector<std::size_t> places(answers.size());
  std::iota(places.begin(), places.end(), 0);
  std::erase_if(places, [&](std::size_t i) { return answers[i].counts.exact == 1; });
  std::ranges::stable_sort(places, {}, [&](std::size_t i) { return chrf(answers[i].counts.characters); });
  places.resize(std::min(places.size(), most));
  return places;
}

void add_worst(Report& report, const Scored& scored, std::size_t most) {
  const auto text = [](const std::string& said) { return said.empty() ? Cell(Sentence{"nothing"}) : said; };
  ReportTable table{"worst", {"line", "source", "reference", "answer", "chrf"}, {}};
  const std::vector<std::size_t> worst = worst_of(scored.answers, most);
  if (!worst.empty()) report.say("worst");
  for (const std::size_t i : worst) {
    const Pair& pair = scored.pairs[i];
    const std::string& answer = scored.answers[i].answer;
    const double near = chrf(scored.answers[i].counts.characters);
    report.add(
        Heading{Sentence{"at", {{"line", std::to_string(i + 1)}, {"chrf", fmt::format("{:.1f}", near)}}}});
    report.add(Row{"source", text(pair.source)});
    report.add(Row{"reference", text(pair.target)});
    report.add(Row{"answer", text(answer)});
    table.rows.push_back({Count{i + 1}, pair.source, pair.target, answer, near});
  }
  report.add(table);
}

Report pairs_report(const ScoreOptions& o, const std::string& model, const Scored& scored,
                    std::size_t unknown) {
  const std::size_t draws = o.draws.value_or(usual_draws), seed = o.seed.value_or(0);
  std::vector<PairCounts> counts;
  PairCounts sum;
  for (const ScoredPair& one : scored.answers) counts.push_back(one.counts), sum += one.counts;
  Report report{frame_of_command("score"), {}};
  report.title = Title::none;
  report.add("model", model), report.add("pairs", *o.pairs);
  report.add("count", Count{scored.pairs.size()}), report.add("unknown", Count{unknown});
  report.add("beam", Count{o.beam.value_or(1)});
  report.add("length_penalty", o.length_penalty.value_or(0));
  report.add("draws", Count{draws}), report.add("seed", Count{seed});
  report.add("tokens", Count{sum.loss_tokens});
  report.say(o.beam ? "head.beam" : "head",
             {{"file", shown_file(*o.pairs)}, {"penalty", format_number(o.length_penalty.value_or(0), 6)}});
  add_measures(report, measures_of(sum), bootstrap(counts, draws, seed));
  if (scored.narrowing) add_narrowing(report, *scored.narrowing), report.say("narrow");
  for (const char* key : {"exact", "bleu", "chrf", "loss"}) report.say(key);
  report.say(scored.pairs.size() > 1 ? "interval" : "interval.one", {{"seed", std::to_string(seed)}});
  if (unknown > 0) report.say("unknown_pairs");
  add_worst(report, scored, o.worst.value_or(0));
  return report;
}

/// Every pair with its answer and its own measures, as .csv or .tsv.
std::string score_table(const Scored& scored, char separator) {
  std::string text;
  const auto row = [&](const std::vector<std::string>& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i)
      text += (i ? std::string(1, separator) : "") + cell(cells[i], separator);
    text += '\n';
  };
  row({"source", "reference", "answer", "exact", "chrf", "loss", "tokens"});
  for (std::size_t i = 0; i < scored.answers.size(); ++i) {
    const PairCounts& counts = scored.answers[i].counts;
    row({scored.pairs[i].source, scored.pairs[i].target, scored.answers[i].answer,
         std::to_string(counts.exact), fmt::format("{}", chrf(counts.characters)),
         fmt::format("{}", counts.loss), std::to_string(counts.loss_tokens)});
  }
  return text;
}

const std::vector<Option<TrainedOptions>>& model_options() {
  static const std::vector<Option<TrainedOptions>> table = [] {
    auto rows = trained_options();
    std::erase_if(rows, [](const auto& row) { return row.name == "--text"; }); // the pairs have the texts
    return rows;
  }();
  return table;
}

const std::vector<Option<ScoreOptions>>& score_options() {
  using O = ScoreOptions;
  using Row = Option<O>;
  static const std::vector<Row> table{
      Row("--pairs", &O::pairs, value::text("FILE.tsv")).described("score--pairs"),
      Row("--corpus", &O::corpus, value::text("FILE")).described("score--corpus").without({"--pairs"}),
      Row("--on", &O::on, value::text("FILE")).described("score--on").beside({"--corpus"}),
      Row("--documents", &O::documents, value::choice(documents_words()), Documents::blank)
          .beside({"--corpus"}),
      Row("--beam", &O::beam, value::count(1, 1000)).beside({"--pairs"}),
      Row("--length-penalty", &O::length_penalty, value::number("A", 0, 10), 0).beside({"--beam"}),
      Row("--dtype", &O::weights, value::choice(weight_types()))
          .described("decode--dtype")
          .beside({"--pairs"}),
      {"--draws", &O::draws, value::count(1, 1'000'000), usual_draws},
      Row("--seed", &O::seed, value::seed(), 0).described("score--seed"),
      Row("--worst", &O::worst, value::count()).beside({"--pairs"}),
      Row("--save", &O::save, value::text("FILE")).described("score--save"),
      {"--json", &O::json}};
  return table;
}

/// Of a table of the answers; nothing for another file.
std::optional<char> separator_of(const std::string& file) {
  if (file.ends_with(".csv")) return ',';
  if (file.ends_with(".tsv")) return '\t';
  return std::nullopt;
}

/// Before what takes its time. A corpus has no answers.
void require_savable(const ScoreOptions& o) {
  if (!o.save) return;
  if (o.corpus) return require_page(*o.save);
  const bool is_page = o.save->ends_with(".html") || o.save->ends_with(".json");
  if (!is_page && !separator_of(*o.save)) throw usage_error("score_kind", {{"file", *o.save}});
  require_writable(*o.save);
}

/// What was asked, to be typed again, but for where it goes.
std::string typed(ScoreOptions o) {
  o.save.reset(), o.json = false;
  std::string text = typed_again(model_options(), o.trained) + typed_again(score_options(), o);
  for (const std::string& file : o.more_files) text += " " + shell_quoted(file);
  return text;
}

/// As the model reads them; a refusal names the line.
std::vector<EncodedPair> encoded_pairs(const std::vector<Pair>& pairs, const TrainedModel& trained,
                                       const DecodeLimits& limits, const std::string& file) {
  std::vector<EncodedPair> encoded;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    try {
      encoded.push_back(encode_pair(pairs[i], trained.model, trained.card, limits));
    } catch (const Error& error) {
      refuse_line(file, i + 1, error);
    }
  }
  return encoded;
}

Report score_corpus(const ScoreOptions& o) {
  CorpusScoreRequest request{*o.trained.model, corpus_files(o.corpus, o.more_files), o.on, o.documents};
  request.draws = o.draws.value_or(usual_draws), request.seed = o.seed.value_or(0);
  return corpus_score(request);
}

void run(const ScoreOptions& o, Context& context) {
  corpus_files(o.corpus, o.more_files);
  if (!o.pairs && !o.corpus) throw usage_error("score_pairs", {});
  if (!o.trained.model) throw usage_error("score_model", {{"names", alternatives(shipped_models())}});
  require_savable(o);
  if (o.corpus) {
    for (const auto& [name, given] : {std::pair("--max-tokens", o.trained.max_tokens.has_value()),
                                      {"--start", o.trained.start.has_value()},
                                      {"--end", o.trained.end.has_value()},
                                      {"--heads", o.trained.heads.has_value()}})
      if (given) throw usage_error("needs", {{"name", name}, {"others", "--pairs"}});
    Report report = score_corpus(o);
    report.frame.options = typed(o);
    return show(report, {o.json, false, o.save}, context);
  }
  const TrainedModel trained = trained_model(o.trained);
  context.note(trained.notes);
  const std::vector<Pair> pairs = read_pairs(read_text(*o.pairs), *o.pairs);
  DecodeRequest request{.limits = limits_of(o.trained, trained, 1)};
  if (o.beam) request.method = DecodeMethod::beam;
  request.beam = {o.beam.value_or(1), o.length_penalty.value_or(0)};
  const std::vector<EncodedPair> encoded = encoded_pairs(pairs, trained, request.limits, *o.pairs);
  const auto size = [](const EncodedPair& one) { return one.src.size(); };
  request.limits = limits_of(o.trained, trained, std::ranges::max(encoded, {}, size).src.size());
  const auto tell = [&](std::size_t done) {
    tell_progress(in_words("score.answering"), {done, pairs.size()});
  };
  Scored scored{pairs, {}};
  if (const auto floats = in_floats(trained, o.weights)) {
    scored.answers = score_pairs(*floats, trained.card, pairs, encoded, request, tell);
    scored.narrowing =
        narrowing_of(trained.model, *floats, *o.weights, reference_move(trained.model, *floats, encoded));
  } else {
    scored.answers = score_pairs(trained.model, trained.card, pairs, encoded, request, tell);
  }
  const auto unknown = static_cast<std::size_t>(std::ranges::count_if(encoded, &EncodedPair::has_unknown));
  Report report = pairs_report(o, trained.name, scored, unknown);
  report.frame.options = typed(o);
  const auto separator = o.save ? separator_of(*o.save) : std::nullopt;
  if (!separator) return show(report, {o.json, false, o.save}, context);
  write_file_atomically(*o.save, score_table(scored, *separator));
  report.say("saved", {{"file", printable(*o.save)}});
  show(report, {o.json, false, {}}, context);
}

} // namespace

Command score_command() {
  return command_row<ScoreOptions>("score", run, [](CLI::App& command, ScoreOptions& o, Context&) {
    add_argument(command, "FILES", o.more_files, in_words("corpus.files"));
    add_options(command, model_options(), o.trained);
    add_options(command, score_options(), o);
  });
}

} // namespace tfx
