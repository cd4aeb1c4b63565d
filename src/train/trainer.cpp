#include "train/trainer.hpp"

#include "core/memory.hpp"
#include "measure/translation.hpp"
#include "model/counts.hpp"
#include "model/search.hpp"
#include "train/text_loss.hpp"

#include <algorithm>
#include <cmath>

namespace tfx {

namespace {

ModelSpec with_vocabularies(ModelSpec model, const TaskFacts& facts) {
  if (model.has_encoder()) model.src_vocab = facts.src_vocabulary.size();
  model.tgt_vocab = facts.tgt_vocabulary.size();
  return model;
}

/// What a step keeps at the least: its examples, and of each a token on either side with its activations.
double min_bytes_of_step(const TrainingConfig& config) {
  const ModelSpec& model = config.model;
  const auto number = [](std::size_t count) { return static_cast<double>(count); };
  const double examples = number(config.batch) * number(config.accumulate) * sizeof(Example);
  const double cells =
      number(model.layers) * (8 * number(model.d_model) + 2 * number(model.d_ff)) + number(model.tgt_vocab);
  return examples + number(config.batch) * cells * sizeof(float);
}

} // namespace

void require_training_memory(const TrainingConfig& config) {
  constexpr double copies = 4; // the model, its gradient, two moments
  require_memory(copies * sizeof(float) *
                         static_cast<double>(count_parameters(Transformer<ShapesOnly>(config.model))) +
                     min_bytes_of_step(config),
                 said("training this model"));
}

TrainingState start_training(const TrainingConfig& config, const TaskFacts& facts) {
  TrainingState state;
  state.config = config;
  state.config.model = with_vocabularies(config.model, facts);
  require_valid(state.config.model);
  require_training_memory(state.config);
  state.model = Transformer<float>(state.config.model);
  initialize(state.model, config.init, static_cast<std::uint32_t>(config.seed), facts.documents);
  state.moments = {zeros_like(state.model), zeros_like(state.model)};
  return state;
}

TrainingBatch training_batch(const std::vector<Example>& examples) {
  std::vector<TokenIds> src, tgt;
  TrainingBatch batch;
  for (const Example& example : examples) {
    if (!example.src.empty()) src.push_back(example.src);
    tgt.emplace_back(example.tgt.begin(), example.tgt.end() - 1);
    batch.labels.insert(batch.labels.end(), example.tgt.begin() + 1, example.tgt.end());
  }
  if (!src.empty()) batch.src = ragged_batch(src); // of a decoder alone there is none
  batch.tgt = ragged_batch(tgt);
  return batch;
}

std::vector<TrainingBatch> next_batches(const TrainingState& state, const Task& task) {
  const TrainingConfig& config = state.config;
  std::vector<TrainingBatch> batches;
  for (std::size_t i = 0; i < config.accumulate; ++i)
    batches.push_back(
        training_batch(task.batch(config.batch, config.seed, state.step * config.accumulate + i)));
  return batches;
}

TrainingMode next_mode(const TrainingState& state, std::size_t i) {
  return {state.config.seed, state.step * state.config.accumulate + i, state.config.dropout};
}

StepReport train_step(TrainingState& state, Transformer<float>& gradient, const Task& task,
                      ModuleTimes* times) {
  if (times) times->start();
  const TrainingConfig& config = state.config;
  const Smoothing smoothing{config.smoothing, task.pad()};
  const std::vector<TrainingBatch> batches = next_batches(state, task);
  StepReport report;
  for (const TrainingBatch& batch : batches) report.tokens += count_tokens(batch.labels, smoothing.pad);

  clear(gradient);
  if (times) times->mark("batch");
  double loss = 0;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    const TrainingMode training = next_mode(state, i);
    loss += add_gradient<float>({state.model, gradient}, batches[i], smoothing,
                                static_cast<double>(report.tokens), {nullptr, &training, {}, times})
                .sum;
  }
  report.loss = loss / static_cast<double>(report.tokens);
  report.gradient_norm = gradient_norm(gradient);
  report.learning_rate = learning_rate(config.schedule, state.step + 1);
  if (!report.is_finite()) return report;
  adam(
      state.model, state.moments, gradient,
      {config.adam, report.learning_rate, state.step + 1, clipping_factor(report.gradient_norm, config.clip)},
      config.decayed);
  if (times) times->mark("Adam");
  ++state.step;
  state.losses.push_back(report.loss);
  return report;
}

Accuracy exact_match(const Transformer<float>& model, const TaskFacts& facts,
                     const std::vector<Example>& examples) {
  constexpr std::size_t at_once = 250;                        // keeps the cache of keys and values small
  constexpr std::string_view unknown_in_reference = "\uFFFD"; // some other word: an answer's <unk> is none
  const Vocabulary& words = facts.tgt_vocabulary;
  const bool is_text = facts.name == "pairs";
  Accuracy accuracy;
  PairCounts sum;
  accuracy.of = examples.size();
  for (std::size_t first = 0; first < examples.size(); first += at_once) {
    const std::size_t count = std::min(at_once, examples.size() - first);
    std::vector<TokenIds> sources;
    for (std::size_t i = 0; i < count; ++i) sources.push_back(examples[first + i].src);
    const std::vector<TokenIds> answers =
        greedy(model, ragged_batch(sources), {facts.start, facts.end, facts.max_tokens - 1});
    for (std::size_t i = 0; i < count; ++i) {
      const TokenIds wanted = answer(facts, examples[first + i].tgt);
      accuracy.right += answers[i] == wanted && !words.holds_unknown(wanted);
      if (is_text) sum += compare_pair(words.decode(answers[i]), words.decode(wanted, unknown_in_reference));
    }
  }
  if (is_text && sum.pairs > 0) accuracy.bleu = bleu(sum.tokens), accuracy.chrf = chrf(sum.characters);
  return accuracy;
}

namespace {

Accuracy measure_text(const TrainingState& state, const std::vector<Example>& documents) {
  const TextLoss all = total(text_losses(state.model, documents));
  Accuracy accuracy{.step = state.step};
  if (all.tokens > 0) accuracy.loss = all.mean(), accuracy.bits_per_byte = all.bits_per_byte();
  return accuracy;
}

} // namespace

Accuracy measure(const TrainingState& state, const TaskFacts& facts, const std::vector<Example>& examples) {
  if (!state.model.spec.has_encoder()) return measure_text(state, examples);
  Accuracy accuracy = exact_match(state.model, facts, examples);
  accuracy.step = state.step;
  Loss loss;
  for (std::size_t first = 0; first < examples.size(); first += state.config.batch) {
    const auto begin = examples.begin() + static_cast<std::ptrdiff_t>(first);
    const std::size_t count = std::min(state.config.batch, examples.size() - first);
    const TrainingBatch batch = training_batch({begin, begin + static_cast<std::ptrdiff_t>(count)});
    ModelSaved<float> saved;
    arma::Mat<float> scores = logits(state.model, batch.inputs(), {}, saved);
    const Loss part = loss_and_gradient(scores, batch.labels, {state.config.smoothing, pad_id}, 1);
    loss.sum += part.sum, loss.tokens += part.tokens;
  }
  if (loss.tokens > 0) accuracy.loss = loss.mean();
  return accuracy;
}

namespace {

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

std::string first_not_finite(const TrainingState& state, const Transformer<float>& gradient,
                             const Task& task) {
  FirstNotFinite observer;
  const std::vector<TrainingBatch> batches = next_batches(state, task);
  for (std::size_t i = 0; i < batches.size() && observer.name.empty(); ++i) {
    const TrainingMode training = next_mode(state, i);
    forward<float>(state.model, batches[i].inputs(), {&observer, &training});
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
