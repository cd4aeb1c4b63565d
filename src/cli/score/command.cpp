// `tfx score`: a model's answers to held-out pairs, measured.

#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/context.hpp"
#include "cli/decode/screen.hpp"
#include "cli/decode/trained_model.hpp"
#include "cli/lesson/save.hpp"
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
#include "render/json.hpp"
#include "render/style.hpp"
#include "render/text_layout.hpp"
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

struct Scored {
  const ScoreOptions& options;
  const TrainedModel& trained;
  const std::vector<Pair>& pairs;
  std::vector<ScoredPair> answers; ///< one a pair
  Measures measures;
  Intervals intervals;
  std::size_t draws = 0;
  std::uint64_t seed = 0;
  std::size_t unknown = 0;                 ///< pairs with a token that the model does not know
  std::optional<Narrowing> narrowing = {}; ///< over the references and all tokens

  /// The pairs that are wrong, those of the lowest chrF first, at most so many.
  std::vector<std::size_t> worst(std::size_t most) const;
};

/// The measures in the order in which they are shown, with the names that JSON gives them.
inline constexpr std::array<std::pair<const char*, double Measures::*>, 5> measure_names{
    {{"exact", &Measures::exact},
     {"bleu", &Measures::bleu},
     {"chrf", &Measures::chrf},
     {"loss", &Measures::loss},
     {"perplexity", &Measures::perplexity}}};

class ScoreScreen {
public:
  ScoreScreen(const Scored& scored, const Context& context) : scored_(scored), style_(context.style()) {}

  std::string text() {
    const ScoreOptions& o = scored_.options;
    const std::map<std::string, std::string> facts{
        {"model", escape_controls(scored_.trained.name)},
        {"file", shown_file(*o.pairs)},
        {"pairs", with_separators(scored_.pairs.size())},
        {"draws", with_separators(scored_.draws)},
        {"seed", std::to_string(scored_.seed)},
        {"width", std::to_string(o.beam.value_or(1))},
        {"penalty", format_number(o.length_penalty.value_or(0), 6)},
        {"tokens", with_separators(loss_tokens())},
        {"unknown", with_separators(scored_.unknown)}};
    paragraph(in_words(o.beam ? "score.head.beam" : "score.head", facts));
    table();
    if (scored_.narrowing) narrowing(*scored_.narrowing);
    for (const char* key : {"score.exact", "score.bleu", "score.chrf", "score.loss", "score.interval"})
      paragraph(in_words(key, facts));
    if (scored_.unknown > 0) paragraph(in_words("score.unknown", facts));
    worst();
    if (o.save) paragraph(in_words("score.saved", {{"file", printable(*o.save)}}));
    return std::move(out_);
  }

private:
  void paragraph(const std::string& text, const std::string& indent = "") {
    out_ += wrapped(text, style_, indent);
    if (indent.empty()) out_ += "\n";
  }

  std::size_t loss_tokens() const {
    std::size_t tokens = 0;
    for (const ScoredPair& one : scored_.answers) tokens += one.counts.loss_tokens;
    return tokens;
  }

  void table() {
    Table table{{in_words("score.column.value"), in_words("score.column.low"), in_words("score.column.high")},
                {},
                Table::Last::number};
    for (const auto& [name, member] : measure_names) {
      const bool is_share = member == &Measures::exact;
      const bool is_loss = member == &Measures::loss;
      const auto shown = [&, measure = member](const Measures& measures) {
        return fmt::format("{:.{}f}", measures.*measure, is_loss ? 4 : 2) + (is_share ? " %" : "");
      };
      table.rows.push_back(
          {in_words(std::string("score.row.") + name),
           {shown(scored_.measures), shown(scored_.intervals.low), shown(scored_.intervals.high)},
           0,
           false});
    }
    out_ += in_lines(table_lines(table, style_)) + "\n";
  }

  void narrowing(const Narrowing& measured) {
    const auto bytes = [](std::uint64_t count) { return format_bytes(static_cast<double>(count)); };
    paragraph(
        in_words("score.narrow", {{"dtype", word_of(weight_types(), measured.type)},
                                  {"token_bytes", bytes(measured.bytes)},
                                  {"float_bytes", bytes(measured.float_bytes)},
                                  {"difference", screen_number(measured.difference, style_.precision)}}));
  }

  void worst() {
    const std::vector<std::size_t> worst = scored_.worst(scored_.options.worst.value_or(0));
    if (worst.empty()) return;
    paragraph(in_words("score.worst"));
    for (const std::size_t i : worst) {
      const ScoredPair& one = scored_.answers[i];
      paragraph(in_words("score.worst.head", {{"line", std::to_string(i + 1)},
                                              {"chrf", fmt::format("{:.1f}", chrf(one.counts.characters))}}),
                "  ");
      const std::string none = in_words("score.nothing");
      const auto text = [&](const char* key, const std::string& said) {
        paragraph(in_words(key, {{"text", said.empty() ? none : escape_controls(said)}}), "    ");
      };
      text("score.worst.source", scored_.pairs[i].source);
      text("score.worst.reference", scored_.pairs[i].target);
      text("score.worst.answer", one.answer);
    }
    out_ += "\n";
  }

  const Scored& scored_;
  const Style style_;
  std::string out_;
};

/// A TSV has no quotes, and its texts no tabs.
std::string cell(const std::string& text, char separator) {
  const std::string safe = escape_controls(text);
  return separator == ',' ? csv_cell(safe) : safe;
}

std::vector<std::size_t> Scored::worst(std::size_t most) const {
  std::vector<std::size_t> places(answers.size());
  std::iota(places.begin(), places.end(), 0);
  std::erase_if(places, [&](std::size_t i) { return answers[i].counts.exact == 1; });
  std::ranges::stable_sort(places, {}, [&](std::size_t i) { return chrf(answers[i].counts.characters); });
  places.resize(std::min(places.size(), most));
  return places;
}

std::string score_screen(const Scored& scored, const Context& context) {
  return ScoreScreen(scored, context).text();
}

std::string score_json(const Scored& scored) {
  const ScoreOptions& o = scored.options;
  JsonWriter json;
  begin_command(json, "score");
  json.key("model"), json.value(scored.trained.name);
  json.key("pairs"), json.value(*o.pairs);
  json.key("count"), json.value(scored.pairs.size());
  json.key("unknown"), json.value(scored.unknown);
  json.key("beam"), json.value(o.beam.value_or(1));
  json.key("length_penalty"), json.value(o.length_penalty.value_or(0));
  json.key("draws"), json.value(scored.draws);
  json.key("seed"), json.value(static_cast<std::size_t>(scored.seed));
  if (scored.narrowing) {
    json.key("narrowing"), json.begin_object();
    write_narrowing(json, *scored.narrowing);
    json.end_object();
  }
  for (const auto& [name, member] : measure_names) {
    json.key(name), json.begin_object();
    json.key("value"), json.value(scored.measures.*member);
    json.key("low"), json.value(scored.intervals.low.*member);
    json.key("high"), json.value(scored.intervals.high.*member);
    json.end_object();
  }
  json.key("worst"), json.begin_array();
  for (const std::size_t i : scored.worst(o.worst.value_or(0))) {
    json.begin_object();
    json.key("line"), json.value(i + 1);
    json.key("source"), json.value(scored.pairs[i].source);
    json.key("reference"), json.value(scored.pairs[i].target);
    json.key("answer"), json.value(scored.answers[i].answer);
    json.key("chrf"), json.value(chrf(scored.answers[i].counts.characters));
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return json.take();
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

// tfx score: a trained model measured on pairs of one's own.

const std::vector<Option<TrainedOptions>>& model_options() {
  static const std::vector<Option<TrainedOptions>> table = [] {
    auto rows = trained_options();
    std::erase_if(rows, [](const auto& row) { return row.name == "--text"; }); // the pairs have the texts
    return rows;
  }();
  return table;
}

constexpr std::size_t usual_draws = 1000;

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
      Row("--save", &O::save, value::text("FILE.csv")).described("score--save").beside({"--pairs"}),
      {"--json", &O::json}};
  return table;
}

char separator_of(const std::string& file) {
  if (file.ends_with(".csv")) return ',';
  if (file.ends_with(".tsv")) return '\t';
  throw usage_error("score_kind", {{"file", file}});
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
  if (o.corpus) {
    for (const auto& [name, given] : {std::pair("--max-tokens", o.trained.max_tokens.has_value()),
                                      {"--start", o.trained.start.has_value()},
                                      {"--end", o.trained.end.has_value()},
                                      {"--heads", o.trained.heads.has_value()}})
      if (given) throw usage_error("needs", {{"name", name}, {"others", "--pairs"}});
    ShowOptions options;
    options.json = o.json;
    return show(score_corpus(o), options, context);
  }
  const char separator = o.save ? separator_of(*o.save) : ',';
  if (o.save) require_writable(*o.save);
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
  Scored scored{o, trained, pairs, {}, {}, {}};
  if (const auto floats = in_floats(trained, o.weights)) {
    scored.answers = score_pairs(*floats, trained.card, pairs, encoded, request, tell);
    scored.narrowing =
        narrowing_of(trained.model, *floats, *o.weights, reference_move(trained.model, *floats, encoded));
  } else {
    scored.answers = score_pairs(trained.model, trained.card, pairs, encoded, request, tell);
  }
  scored.draws = o.draws.value_or(usual_draws), scored.seed = o.seed.value_or(0);
  scored.unknown = static_cast<std::size_t>(std::ranges::count_if(encoded, &EncodedPair::has_unknown));
  std::vector<PairCounts> counts;
  PairCounts sum;
  for (const ScoredPair& one : scored.answers) counts.push_back(one.counts), sum += one.counts;
  scored.measures = measures_of(sum);
  scored.intervals = bootstrap(counts, scored.draws, scored.seed);
  if (o.save) write_file_atomically(*o.save, score_table(scored, separator));
  context.out = o.json ? score_json(scored) + "\n" : score_screen(scored, context);
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
