// tfx score: a trained model measured on pairs of one's own.

#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/score/scored.hpp"
#include "cli/text_lines.hpp"
#include "core/progress.hpp"
#include "io/file.hpp"
#include "model/shipped.hpp"

#include <algorithm>
#include <memory>

namespace tfx {

using namespace decoding;

namespace {

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
      {"--beam", &O::beam, value::count(1, 1000)},
      Row("--length-penalty", &O::length_penalty, value::number("A", 0, 10)).beside({"--beam"}),
      Row("--dtype", &O::weights, value::choice(weight_types())).described("decode--dtype"),
      {"--draws", &O::draws, value::count(1, 1'000'000)},
      Row("--seed", &O::seed, value::seed()).described("score--seed"),
      {"--worst", &O::worst, value::count()},
      Row("--save", &O::save, value::text("FILE.csv")).described("score--save"),
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

void run(const ScoreOptions& o, Context& context) {
  if (!o.pairs) throw usage_error("score_pairs", {});
  if (!o.trained.model) throw usage_error("score_model", {{"names", alternatives(shipped_models())}});
  const char separator = o.save ? separator_of(*o.save) : ',';
  if (o.save && same_file(*o.save, *o.pairs))
    throw usage_error("contradict", {{"one", "--pairs"}, {"other", "--save"}});
  if (o.save) require_writable(*o.save);
  const TrainedModel trained = trained_model(o.trained);
  context.note(trained.notes);
  const std::vector<Pair> pairs = read_pairs(read_file(*o.pairs), *o.pairs);
  Request request{.limits = limits_of(o.trained, trained, 1)};
  if (o.beam) request.method = Method::beam;
  request.beam = {o.beam.value_or(1), o.length_penalty.value_or(0)};
  const std::vector<EncodedPair> encoded = encoded_pairs(pairs, trained, request.limits, *o.pairs);
  const auto size = [](const EncodedPair& one) { return one.src.size(); };
  request.limits = limits_of(o.trained, trained, std::ranges::max(encoded, {}, size).src.size());
  const auto tell = [&](std::size_t done) {
    tell_progress(in_words("score.answering"), {done, pairs.size()});
  };
  constexpr std::size_t usual_draws = 1000;
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

void add_score_command(CLI::App& app, Context& context) {
  const auto options = std::make_shared<ScoreOptions>();
  const auto start = [&context, options] { run(*options, context); };
  add_command(app, context, "score", in_words("command.score"), start, [options](CLI::App& command) {
    add_options(command, model_options(), options->trained);
    add_options(command, score_options(), *options);
  });
}

} // namespace tfx
