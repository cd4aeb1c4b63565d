#include "cli/score/corpus_score.hpp"

#include "cli/lesson/screen.hpp"
#include "core/number.hpp"
#include "io/message.hpp"
#include "lessons/known_models.hpp"
#include "measure/bootstrap.hpp"
#include "model/checkpoint.hpp"
#include "ngram/kneser_ney.hpp"
#include "text/utf8.hpp"
#include "train/text_counts.hpp"

#include <algorithm>
#include <cmath>

namespace tfx {

namespace {

struct Read {
  Transformer<float> model;
  TaskFacts facts;
  std::vector<Example> trained, scored;
};

/// How the text was cut for the training: as the model's file says, unless it is asked for.
CorpusRule rule_of(const TensorFile& file, const CorpusScoreRequest& request) {
  CorpusRule rule;
  const auto take = [&](const char* key, const auto& choices, auto& value) {
    const auto found = file.metadata().find(key);
    for (const auto& [word, choice] : choices)
      if (found != file.metadata().end() && found->second == word) value = choice;
  };
  take(documents_key, documents_words(), rule.documents);
  take(held_out_key, held_out_words(), rule.held_out);
  if (request.documents) rule.documents = *request.documents;
  return rule;
}

Read read(const CorpusScoreRequest& request) {
  const TensorFile file = model_file(request.model);
  Read all{load_model<float>(file), {}, {}, {}};
  const auto card = card_of(file.metadata(), all.model.spec, file.path());
  if (!card || card->sha256.empty() || !card->end)
    refuse_file(file.path(), said("it does not say which text it was trained on"),
                said("give a model that tfx train --corpus has left"));
  all.facts = {.name = card->task, .tgt_vocabulary = card->tgt, .start = card->start, .end = card->end};
  const CorpusRule rule = rule_of(file, request);
  const Corpus corpus = read_corpus(request.corpus, rule.documents);
  if (corpus.sha256 != card->sha256)
    refuse_file(request.corpus[0],
                said("this is not the text that {model} was trained on", {{"model", request.model}}),
                said("give that text, byte for byte; another one is scored with --on"));
  for (std::size_t i = 0; i < corpus.documents.size(); ++i)
    (is_held_out(i, rule.held_out) ? all.scored : all.trained)
        .push_back(document_example(all.facts, corpus.documents[i]));
  if (request.other) {
    all.scored.clear();
    for (const std::string& document : read_corpus({*request.other}, rule.documents).documents)
      all.scored.push_back(document_example(all.facts, document));
  }
  if (all.scored.empty())
    refuse_file(request.corpus[0], said("nothing of it was held out"), said("score another text: --on FILE"));
  return all;
}

/// Bits per byte of documents, and where 95 in 100 draws of such documents lie.
struct Bits {
  double value = 0;
  Interval interval = {};
};

Bits bits_of(const std::vector<TextLoss>& losses, const CorpusScoreRequest& request) {
  std::vector<double> drawn;
  for (std::size_t draw = 0; draw < request.draws; ++draw)
    drawn.push_back(drawn_sum(losses, request.seed, draw).bits_per_byte());
  return {total(losses).bits_per_byte(), interval_of(std::move(drawn))};
}

ReportTable table_of(const std::vector<Bits>& counted) {
  ReportTable table{
      "counting", {"order", "bits_per_byte", "low", "high"}, {"order", "bits_per_byte", "low", "high"}};
  for (std::size_t n = 0; n < counted.size(); ++n)
    table.rows.push_back({Count{n + 1}, counted[n].value, counted[n].interval.low, counted[n].interval.high});
  return table;
}

} // namespace

Report corpus_score(const CorpusScoreRequest& request) {
  const Read all = read(request);
  const std::vector<TextLoss> losses = text_losses(all.model, all.scored);
  const TextLoss sum = total(losses);
  const Bits learned = bits_of(losses, request);
  std::vector<Bits> counted;
  for (const std::vector<TextLoss>& order : counted_losses(count_tokens(all.facts, all.trained), all.scored))
    counted.push_back(bits_of(order, request));

  Report report{frame_of_command("score", "src/cli/score"), {}};
  Trace& t = report.trace;
  report.add("model", request.model);
  t.facts["corpus"] = printable(join(request.corpus, " "));
  if (request.other) t.facts["other"] = printable(*request.other);
  report.add("documents", Count{all.scored.size()});
  report.add("tokens", Count{sum.tokens}), report.add("bytes", Count{sum.bytes});
  if (sum.unknown_bytes > 0) report.add("unknown_bytes", Count{sum.unknown_bytes});
  report.say(request.other ? "other_text" : "held_out");
  report.say("unknown");
  report.add("bits_per_byte", learned.value);
  report.add("low", learned.interval.low), report.add("high", learned.interval.high);
  report.add("loss", sum.mean());
  report.add("perplexity", std::exp(sum.mean()));
  report.add("draws", Count{request.draws});
  report.say("learned"), report.say("counted");
  report.add(table_of(counted));
  const auto best = std::ranges::min_element(counted, {}, &Bits::value);
  report.add("best_order", Count{static_cast<std::size_t>(best - counted.begin()) + 1});
  report.add("best_counted", best->value);
  report.say(learned.value < best->value ? "learning_wins" : "counting_wins");
  report.next = {"generate --model " + shell_quoted(request.model)};
  return report;
}

} // namespace tfx
