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
  bool is_known = false; ///< the scored text is the one that was trained on
};

Read read(const CorpusScoreRequest& request) {
  const TensorFile file = model_file(request.model);
  Read all{load_model<float>(file), {}, {}, {}};
  const auto card = card_of(file.metadata(), all.model.spec, file.path());
  if (!card || card->sha256.empty() || !card->end)
    refuse_file(file.path(), said("it does not say which text it was trained on"),
                said("give a model that tfx train --corpus has left"));
  all.facts = {.name = card->task, .tgt_vocabulary = card->tgt, .start = card->start, .end = card->end};
  CorpusRule rule = corpus_rule_in(file.metadata());
  if (request.documents && !file.metadata().contains(documents_key)) rule.documents = *request.documents;
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
    const Corpus other = read_corpus({*request.other}, request.documents.value_or(rule.documents));
    all.is_known = other.sha256 == card->sha256;
    for (const std::string& document : other.documents)
      all.scored.push_back(document_example(all.facts, document));
  }
  if (all.scored.empty())
    refuse_file(
        request.corpus[0], said("nothing of it was held out"),
        rule.held_out == HeldOut::none
            ? said("score another text beside it: --on FILE; or train with another --preset, which keeps "
                   "every tenth document apart")
            : said("score another text beside it: --on FILE; or train again with ten documents or more"));
  return all;
}

/// Bits per byte of documents, of each draw of such documents too.
struct Bits {
  double value = 0;
  std::vector<double> drawn = {};
};

Bits bits_of(const std::vector<TextLoss>& losses, const CorpusScoreRequest& request) {
  Bits bits{total(losses).bits_per_byte()};
  for (std::size_t draw = 0; draw < request.draws; ++draw)
    bits.drawn.push_back(drawn_sum(losses, request.seed, draw).bits_per_byte());
  return bits;
}

/// Which needs less, as far as the draws can tell: the same documents are drawn for both.
const char* verdict(const Bits& learned, const Bits& counted) {
  std::vector<double> more;
  for (std::size_t draw = 0; draw < learned.drawn.size(); ++draw)
    more.push_back(learned.drawn[draw] - counted.drawn[draw]);
  const Interval interval = interval_of(std::move(more));
  return interval.high < 0 ? "learning_wins" : interval.low > 0 ? "counting_wins" : "undecided";
}

/// With intervals, where there is more than one document to draw from.
ReportTable table_of(const std::vector<Bits>& counted, bool has_intervals) {
  ReportTable table{"counting", {"order", "bits_per_byte", "low", "high"}, {"order", "bits_per_byte"}};
  if (has_intervals) table.shown = table.columns;
  for (std::size_t n = 0; n < counted.size(); ++n) {
    const Interval interval = interval_of(counted[n].drawn);
    table.rows.push_back({Count{n + 1}, counted[n].value, interval.low, interval.high});
  }
  return table;
}

} // namespace

Report corpus_score(const CorpusScoreRequest& request) {
  const Read all = read(request);
  const std::vector<TextLoss> losses = text_losses(all.model, all.scored);
  const TextLoss sum = total(losses);
  if (!std::isfinite(sum.nats))
    refuse_file(request.model, said("what it gives is not finite: its numbers are too large or NaN"),
                said("train again, with a smaller --lr or with --clip 1"));
  const Bits learned = bits_of(losses, request);
  std::vector<Bits> counted;
  for (const std::vector<TextLoss>& order : counted_losses(counted_model(all.facts, all.trained), all.scored))
    counted.push_back(bits_of(order, request));

  Report report{frame_of_command("score"), {}};
  Trace& t = report.trace;
  report.add("model", request.model);
  report.add("corpus", Names(request.corpus));
  t.facts["corpus"] = printable(join(request.corpus, " "));
  report.add("other", or_none(request.other));
  if (request.other) t.facts["other"] = printable(*request.other);
  report.add("documents", Count{all.scored.size()});
  report.add("tokens", Count{sum.tokens}), report.add("bytes", Count{sum.bytes});
  if (sum.unknown_bytes > 0) report.add("unknown_bytes", Count{sum.unknown_bytes});
  report.say(all.is_known ? "known_text" : request.other ? "other_text" : "held_out");
  report.say("unknown");
  report.add("bits_per_byte", learned.value);
  const Interval interval = interval_of(learned.drawn);
  report.add("low", interval.low), report.add("high", interval.high);
  report.add("loss", sum.mean());
  report.add("perplexity", std::exp(sum.mean()));
  report.add("draws", Count{request.draws}), report.add("seed", Count{request.seed});
  report.say(all.scored.size() > 1 ? "learned" : "learned.one"), report.say("counted");
  report.add(table_of(counted, all.scored.size() > 1));
  const auto best = std::ranges::min_element(counted, {}, &Bits::value);
  report.add("best_order", Count{static_cast<std::size_t>(best - counted.begin()) + 1});
  report.add("best_counted", best->value);
  report.say(verdict(learned, *best));
  report.next = {"generate --model " + shell_quoted(request.model)};
  return report;
}

} // namespace tfx
