#include "parity/training_proofs.hpp"

#include "model/parameters.hpp"
#include "train/training_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace tfx {

namespace {

double mean(const std::vector<double>& values, std::size_t first, std::size_t count) {
  double sum = 0;
  for (std::size_t i = first; i < first + count; ++i) sum += values[i];
  return sum / static_cast<double>(count);
}

/// How often always saying the most common answer is right.
double chance(const std::vector<Example>& examples) {
  std::map<TokenIds, std::size_t> counts;
  std::size_t max_count = 0;
  for (const Example& example : examples) max_count = std::max(max_count, ++counts[example.tgt]);
  return static_cast<double>(max_count) / static_cast<double>(examples.size());
}

} // namespace

void check_loss(Trace& t, const std::vector<double>& losses) {
  constexpr std::size_t enough = 20, part = 10;
  if (losses.size() < enough) return;
  const std::size_t count = losses.size() / part;
  const double first = mean(losses, 0, count), last = mean(losses, losses.size() - count, count);
  t.facts["loss_first"] = fmt::format("{:.3f}", first), t.facts["loss_last"] = fmt::format("{:.4f}", last);
  t.check("loss_fell", last < first, last);
}

void check_control(Trace& t, const TrainingState& state, const Task& task) {
  if (state.accuracies.empty()) return;
  const Accuracy& last = state.accuracies.back();
  const double p = chance(task.held_out(last.of)), n = static_cast<double>(last.of);
  constexpr double deviations = 3;
  t.facts["chance"] = fmt::format("{:.2g}", 100 * p);
  t.check_at_most("control", last.share(), p + deviations * std::sqrt(p * (1 - p) / n));
}

HeldOutSample held_out_sample(const TrainingState& state, const Task& task) {
  const TaskFacts& facts = task.facts();
  // The longest of a few: more to look at than one token.
  constexpr std::size_t few = 8;
  const std::vector<Example> examples = task.held_out(few);
  const Example& example =
      *std::max_element(examples.begin(), examples.end(),
                        [](const Example& a, const Example& b) { return a.src.size() < b.src.size(); });
  EncoderDecoder<double> model(state.model.config);
  each_parameter([](const std::string&, auto& wide,
                    const auto& narrow) { std::copy(narrow.begin(), narrow.end(), wide.begin()); },
                 "", model, state.model);
  decoding::Request request;
  request.limits = {facts.start, facts.end, facts.max_tokens - 1};
  HeldOutSample sample;
  sample.decoded = decoding::decode_text(model, card_of(facts), example.src, request);
  sample.source = facts.src_vocabulary.decode(example.src);
  sample.wanted = facts.tgt_vocabulary.decode(answer(facts, example.tgt));
  sample.answer = facts.tgt_vocabulary.decode(sample.decoded.tokens);
  return sample;
}

} // namespace tfx
