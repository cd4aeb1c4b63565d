#include "cli/train/corpus_result.hpp"

#include "cli/lesson/screen.hpp"
#include "cli/options.hpp"
#include "core/number.hpp"
#include "model/text_writer.hpp"
#include "train/microgpt.hpp"
#include "train/text_loss.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tfx {

std::string written_sample(const Transformer<float>& model, const TaskFacts& facts, std::uint64_t seed) {
  const ModelCard card = card_of(facts);
  GenerateRequest request;
  request.sampling.temperature = 0.8, request.sampling.seed = seed, request.max_tokens = 80;
  return card.tgt.decode(written_tokens(generate_text(model, card, request, 0), card));
}

namespace {

void state_text(Trace& t, const TrainingState& state, const CorpusTask& task, std::size_t measured) {
  const auto held_out = task.held_out(task.facts().documents);
  TextLoss trained, kept;
  for (const Example& one : task.trained()) trained += text_loss(one, 0);
  for (const Example& one : held_out) kept += text_loss(one, 0);
  t.facts["trained_documents"] = with_separators(task.trained().size());
  t.facts["trained_tokens"] = with_separators(trained.tokens);
  t.facts["context"] = with_separators(state.model.spec.max_len);
  if (!held_out.empty()) t.facts["held_out_documents"] = with_separators(held_out.size());
  if (measured > 0 && measured < held_out.size()) t.facts["measured_documents"] = with_separators(measured);
  if (kept.unknown_bytes > 0) t.facts["unknown_bytes"] = with_separators(kept.unknown_bytes);
  t.facts["documents_read"] = with_separators(state.step * state.config.batch);
}

ReportTable measured_table(const TrainingState& state) {
  ReportTable table{"measured",
                    {"step", "training_loss", "held_out_loss", "bits_per_byte"},
                    {"step", "training_loss", "held_out_loss", "bits_per_byte"}};
  std::uint64_t before = 0;
  for (const Accuracy& one : state.accuracies) {
    double sum = 0;
    for (std::uint64_t i = before; i < one.step; ++i) sum += state.losses[i];
    table.rows.push_back({Count{one.step}, sum / static_cast<double>(one.step - before),
                          one.loss.value_or(NAN), one.bits_per_byte.value_or(NAN)});
    before = one.step;
  }
  return table;
}

ReportTable counted_table(const std::vector<double>& bits) {
  ReportTable table{"counting", {"order", "bits_per_byte"}, {"order", "bits_per_byte"}};
  for (std::size_t n = 0; n < bits.size(); ++n) table.rows.push_back({Count{n + 1}, bits[n]});
  return table;
}

/// Who says the held-out documents better.
void compare(Report& report, const TrainingState& state, const std::vector<double>& counted) {
  if (counted.empty() || state.accuracies.empty() || !state.accuracies.back().bits_per_byte) return;
  const auto best = std::ranges::min_element(counted);
  const double learned = *state.accuracies.back().bits_per_byte;
  report.trace.facts["counted_bits"] = fmt::format("{:.3f}", *best);
  report.trace.facts["counted_order"] = std::to_string(best - counted.begin() + 1);
  report.trace.facts["learned_bits"] = fmt::format("{:.3f}", learned);
  report.say(learned < *best ? "corpus.learning_wins" : "corpus.counting_wins");
  const auto bits = [](const Accuracy& one) { return one.bits_per_byte.value_or(NAN); };
  const auto lowest = std::ranges::min_element(state.accuracies, {}, bits);
  constexpr double clearly = 1.005; // more than the noise of a few steps
  report.trace.facts["best_step"] = with_separators(lowest->step);
  report.trace.facts["best_bits"] = fmt::format("{:.3f}", bits(*lowest));
  if (learned > clearly * bits(*lowest))
    report.say("corpus.overfits");
  else if (learned >= *best && state.accuracies.size() > 1 &&
           clearly * learned < bits(state.accuracies.end()[-2]))
    report.say("corpus.falls");
}

/// The steps and the names that microgpt's blog prints, where this is its run.
void compare_with_blog(Report& report, const TrainingState& state, const CorpusTask& task) {
  const MicrogptFacts& facts = microgpt_facts();
  ReportTable table{"blog", {"step", "document", "loss", "blog"}, {"step", "document", "loss", "blog"}};
  double furthest = 0;
  for (std::size_t i = 0; i < std::min(facts.losses.size(), state.losses.size()); ++i) {
    table.rows.push_back({Count{i + 1}, facts.names[i], state.losses[i], facts.losses[i]});
    furthest = std::max(furthest, std::abs(state.losses[i] - facts.losses[i]));
  }
  report.say("corpus.blog");
  report.add(std::move(table));
  constexpr double half_a_digit = 0.5e-4;
  report.trace.check_at_most("blog_losses", furthest, half_a_digit + 1e-9);
  const auto usual = training_config_for("corpus", "microgpt");
  if (state.step != usual.steps) return;
  const std::vector<std::string> written =
      microgpt_samples(state.model, task.facts(), state.config.seed, facts.samples.size());
  std::string names;
  for (const std::string& name : written) names += (names.empty() ? "" : " ") + name;
  report.trace.facts["blog_names"] = names;
  report.say("corpus.names");
  std::size_t same = 0;
  for (std::size_t i = 0; i < written.size(); ++i) same += written[i] == facts.samples[i];
  report.trace.check("blog_names", same == written.size(), static_cast<double>(same));
}

/// Whether it is the blog's training, as far as it went.
bool is_microgpts(const TrainingState& state, const CorpusTask& task) {
  TrainingConfig usual = training_config_for("corpus", "microgpt");
  usual.steps = state.config.steps, usual.corpus.files = state.config.corpus.files;
  usual.model.src_vocab = state.model.spec.src_vocab, usual.model.tgt_vocab = state.model.spec.tgt_vocab;
  return task.facts().sha256 == microgpt_facts().sha256 && metadata_of(usual) == metadata_of(state.config) &&
         usual.model == state.model.spec;
}

} // namespace

Report corpus_report(const Screen& frame, const TrainingState& state, const CorpusTask& task,
                     const TrainingRun& run, const WatchedText& text) {
  Report report{frame, {}};
  Trace& t = report.trace;
  t.lesson = "train", t.dtype = "float32", t.measured = run.cost;
  state_config(t, state), state_text(t, state, task, text.measured_documents);
  if (run.resumed_at) t.facts["resumed_at"] = with_separators(*run.resumed_at);
  if (run.resumed_at == state.step) t.facts["nothing_left"] = with_separators(state.step);
  if (const std::uint64_t made = state.step - run.first; made > 0)
    t.facts["step_time"] = format_seconds(run.cost.timing->median / static_cast<double>(made)),
    t.facts["seconds"] = format_seconds(run.cost.timing->median);
  report.add("task", state.config.task), report.add("preset", state.config.preset);
  report.add("step", Count{state.step});
  report.say("corpus.text");
  report.say("corpus.rule." + word_of(documents_words(), state.config.corpus.documents));
  if (task.trained().size() == 1 && state.config.corpus.documents == Documents::blank)
    report.say("corpus.one_document");
  if (state.config.corpus.reading == Reading::documents) report.say("corpus.in_turn");
  for (const char* key : {"corpus.apart", "corpus.measured_first", "corpus.unknown", "corpus.model", "linear",
                          "cosine", "warmup_root", "clip", "resumed", "nothing_left"})
    report.say(key);
  if (task.held_out(1).empty()) report.say("corpus.none_held_out");
  report.add(Series{"losses", state.losses, {"curve"}});
  if (!state.accuracies.empty()) report.say("corpus.measured"), report.add(measured_table(state));
  if (!text.counted.empty()) report.say("corpus.counted"), report.add(counted_table(text.counted));
  compare(report, state, text.counted);
  if (is_microgpts(state, task)) compare_with_blog(report, state, task);
  ReportTable samples{"samples", {"step", "text"}, {}};
  if (!text.samples.empty()) report.say("corpus.samples");
  for (const auto& [step, written] : text.samples) {
    samples.rows.push_back({Count{step}, written});
    report.parts.emplace_back(Sentence{written.empty() ? "corpus.sample.empty" : "corpus.sample",
                                       {{"at", with_separators(step)}, {"written", written}}});
  }
  report.add(std::move(samples));
  check_loss(t, state.losses);
  t.facts.erase("fell_to"), t.facts.erase("rose_to"); // they quote answers, which a text has none of
  if (!run.file.empty()) report.next = {"generate --model " + shell_quoted(run.file)};
  report.status = status_of(t);
  return report;
}

} // namespace tfx
