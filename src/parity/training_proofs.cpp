#include "parity/training_proofs.hpp"

#include "model/counts.hpp"
#include "train/training_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace tfx {

namespace {

double mean_of(const std::vector<double>& values, std::size_t first, std::size_t count) {
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

Example shown_example(const Task& task) {
  constexpr std::size_t few = 8;
  const std::vector<Example> examples = task.held_out(few);
  return *std::ranges::max_element(examples, {}, [](const Example& one) { return one.src.size(); });
}

EncoderDecoder<double> in_double(const EncoderDecoder<float>& model) {
  EncoderDecoder<double> wide_model(model.config);
  each_parameter([](const std::string&, auto& wide,
                    const auto& narrow) { std::copy(narrow.begin(), narrow.end(), wide.begin()); },
                 "", wide_model, model);
  return wide_model;
}

/// −∞ is what a mask writes.
class FirstNotFinite : public Observer<float> {
public:
  bool wants(const std::string&) override { return name.empty(); }

  void report(const std::string& reported, const StridedView<float>& value) override {
    const auto is_bad = [](double cell) { return std::isnan(cell) || cell == HUGE_VAL; };
    if (name.empty() && std::ranges::any_of(to_tensor(value).data, is_bad)) name = reported;
  }

  std::string name;
};

} // namespace

void check_loss(Trace& t, const std::vector<double>& losses) {
  constexpr std::size_t enough = 20, part = 10;
  if (losses.size() < enough) return;
  const std::size_t count = losses.size() / part;
  const double first = mean_of(losses, 0, count), last = mean_of(losses, losses.size() - count, count);
  t.facts["loss_first"] = fmt::format("{:.3f}", first), t.facts["loss_last"] = fmt::format("{:.4f}", last);
  t.facts[last < first ? "fell_to" : "rose_to"] = t.facts["loss_last"];
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
  const Example example = shown_example(task);
  const std::vector<TokenIds> answers = decoding::search(
      in_double(state.model), {example.src}, {.limits = {facts.start, facts.end, facts.max_tokens - 1}});
  return {facts.src_vocabulary.decode(example.src), facts.tgt_vocabulary.decode(answer(facts, example.tgt)),
          facts.tgt_vocabulary.decode(answers.at(0))};
}

bool is_moment(std::uint64_t step, std::uint64_t steps) {
  for (const std::uint64_t part : {8, 4, 2, 1})
    if (step == steps / part) return true;
  return step == 0;
}

AttentionMoment attention_now(const TrainingState& state, const Task& task) {
  const Example example = shown_example(task);
  return {state.step,
          decoding::alignment_of(in_double(state.model), card_of(task.facts()), example.src, example.tgt)};
}

std::string first_not_finite(const TrainingState& state, const EncoderDecoder<float>& gradient,
                             const Task& task) {
  FirstNotFinite observer;
  const std::vector<TrainingBatch> batches = next_batches(state, task);
  for (std::size_t i = 0; i < batches.size() && observer.name.empty(); ++i) {
    const TrainingMode training = next_mode(state, i);
    forward<float>(state.model, batches[i].src, batches[i].tgt, {&observer, &training});
  }
  if (observer.name.empty())
    each_parameter(
        [&](const std::string& name, const auto& tensor) {
          if (observer.name.empty() && !tensor.is_finite()) observer.name = "d." + name;
        },
        "", gradient);
  return observer.name.empty() ? "gradient_norm" : observer.name;
}

} // namespace tfx
