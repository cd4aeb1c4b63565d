#include "bench/model_case.hpp"

#include "core/memory.hpp"
#include "model/counts.hpp"
#include "model/search.hpp"
#include "model/weights.hpp"
#include "random/numpy_rng.hpp"
#include "train/task.hpp"
#include "train/trainer.hpp"

#include <algorithm>
#include <memory>

namespace tfx::bench {

Transformer<double> widened(const Transformer<float>& model) {
  Transformer<double> wide(model.spec);
  each_parameter(
      [](const std::string&, auto& to, const auto& from) {
        to = arma::conv_to<std::remove_reference_t<decltype(to)>>::from(from);
      },
      "", wide, model);
  return wide;
}

void require_room(const TransformerShape& s, KeptActivations kept) {
  require_valid(s.spec);
  const auto real = [](std::size_t count) { return static_cast<double>(count); };
  const bool training = kept == KeptActivations::for_backward;
  const double parameters = real(count_parameters(Transformer<ShapesOnly>(s.spec)));
  const double copies = training ? 4 : 1; // the model; its gradient and two moments
  const double length = real(s.prompt) + real(s.tgt), tokens = real(s.batch) * (real(s.sources()) + length);
  // Of a layer: Q, K, V, heads, the inputs of norms and products, the hidden vector of the feed-forward
  // layer; in float, and while the check runs in double.
  const double layer = tokens * (16 * real(s.spec.d_model) + 2 * real(s.spec.d_ff));
  const double cells = (training ? real(s.spec.layers) : 1) * layer +
                       2 * real(s.batch) * real(s.tgt) * real(s.spec.tgt_vocab) +
                       64 * std::max(real(s.sources()), length);
  require_memory(parameters * (copies * sizeof(float) + sizeof(double)) +
                     cells * (sizeof(float) + sizeof(double)),
                 training ? said("training this model") : said("this model"));
}

namespace {

constexpr std::uint32_t start = 1;

Batch drawn_ids(NumpyRandom& random, std::size_t rows, std::size_t length, std::size_t vocab) {
  std::vector<TokenIds> ids(rows, TokenIds(length));
  for (TokenIds& row : ids)
    for (std::uint32_t& id : row)
      id = static_cast<std::uint32_t>(random.randint(1, static_cast<std::int64_t>(vocab)));
  return ragged_batch(ids);
}

TokenIds row_of(const Batch& batch, std::size_t s) {
  const auto first = batch.ids.begin() + static_cast<std::ptrdiff_t>(batch.sequences.offsets[s]);
  return {first, first + static_cast<std::ptrdiff_t>(batch.sequences.length(s))};
}

Agreement compare_pass(const ModelInput& input) {
  const arma::fmat ours = tfx::forward(input.model, input.inputs());
  Batch src;
  if (input.src.sequences.count() > 0) src = ragged_batch({row_of(input.src, 0)});
  const Batch tgt = ragged_batch({row_of(input.tgt, 0)});
  const arma::mat wide = tfx::forward(widened(input.model), {src, tgt});
  return {"double", relative_difference(arma::conv_to<arma::mat>::from(ours.head_cols(wide.n_cols)), wide),
          rounding_bound};
}

/// What stands before the first token that is written: of an encoder-decoder the start.
std::vector<TokenIds> prompts(const TransformerShape& shape, const ModelInput& input) {
  std::vector<TokenIds> rows(shape.batch, TokenIds{start});
  if (!shape.spec.has_encoder())
    for (std::size_t s = 0; s < shape.batch; ++s) rows[s] = row_of(input.tgt, s);
  return rows;
}

std::vector<TokenIds> written(const TransformerShape& shape, const ModelInput& input) {
  DecodeLimits limits;
  limits.max_tokens = shape.tgt; // no end: all of them are written
  const std::vector<TokenIds> begun = prompts(shape, input);
  return greedy(input.model, shape.spec.has_encoder() ? Prompt(input.src, begun) : Prompt(begun), limits);
}

/// How far the written ids fall short of the most probable ones.
Agreement compare_written(const TransformerShape& shape, const ModelInput& input) {
  const std::vector<TokenIds> ids = written(shape, input);
  std::vector<TokenIds> read = prompts(shape, input);
  for (std::size_t s = 0; s < read.size(); ++s)
    read[s].insert(read[s].end(), ids[s].begin(), ids[s].end() - 1);
  const std::size_t length = shape.prompt + shape.tgt - 1;
  const arma::mat log_probs = tfx::forward(widened(input.model), {input.src, ragged_batch(read)});
  double short_of = 0, largest = 0;
  for (std::size_t s = 0; s < ids.size(); ++s)
    for (std::size_t t = 0; t < ids[s].size(); ++t) {
      const arma::vec column = log_probs.col(s * length + shape.prompt - 1 + t);
      short_of = std::max(short_of, column.max() - column[ids[s][t]]);
      largest = std::max(largest, -column.max());
    }
  return {"one_pass", short_of == 0 ? 0 : short_of / largest, rounding_bound};
}

} // namespace

ModelInput drawn_model(const TransformerShape& shape, What what, std::uint32_t seed) {
  require_room(shape, KeptActivations::nothing);
  ModelInput input{Transformer<float>(shape.spec), {}, {}};
  initialize(input.model, WeightInit::xavier_uniform, seed);
  NumpyRandom random(seed);
  if (shape.spec.has_encoder()) input.src = drawn_ids(random, shape.batch, shape.src, shape.spec.src_vocab);
  input.tgt =
      drawn_ids(random, shape.batch, what == What::decode ? shape.prompt : shape.tgt, shape.spec.tgt_vocab);
  return input;
}

Case model_case(const TransformerShape& shape, ModelInput input) {
  const auto shared = std::make_shared<const ModelInput>(std::move(input));
  return {model_work(shape), [shared] { return tfx::forward(shared->model, shared->inputs()); },
          [shared] { return compare_pass(*shared); }};
}

Case decode_case(const TransformerShape& shape, ModelInput input) {
  narrow(input.model, shape.weights);
  const auto shared = std::make_shared<const ModelInput>(std::move(input));
  const auto run = [shape, shared] {
    arma::fmat ids(shape.tgt, shape.batch);
    const std::vector<TokenIds> rows = written(shape, *shared);
    for (std::size_t s = 0; s < rows.size(); ++s) ids.col(s) = arma::conv_to<arma::fvec>::from(rows[s]);
    return ids;
  };
  return {decode_work(shape), run, [shape, shared] { return compare_written(shape, *shared); }};
}

// A step of training as it stands in train/trainer.hpp, over and over.

namespace {

/// Sources drawn from 1 … vocab − 1, the first token 1, as the copy task draws them; targets say them again,
/// from the beginning where they are longer. A decoder alone reads a text that says its first half again.
class Echo : public Task {
public:
  explicit Echo(const TransformerShape& shape) : Task(facts_for(shape)), shape_(shape) {}

  std::vector<Example> batch(std::size_t size, std::uint64_t seed, std::uint64_t step) const override {
    DataStream stream(RandomStream(seed, stream_number("echo"), step));
    std::vector<Example> examples(size);
    const bool reads_source = shape_.spec.has_encoder();
    const std::size_t period = reads_source ? shape_.src : (shape_.tgt + 1) / 2;
    for (Example& example : examples) {
      TokenIds said;
      for (std::size_t i = 0; i < period; ++i) {
        const auto drawn = static_cast<std::uint32_t>(1 + stream.below(shape_.spec.tgt_vocab - 1));
        said.push_back(i == 0 ? start() : drawn);
      }
      for (std::size_t i = 0; i <= shape_.tgt; ++i) example.tgt.push_back(said[i % period]);
      if (reads_source) example.src = std::move(said);
    }
    return examples;
  }

  std::vector<Example> held_out(std::size_t) const override { return {}; }

private:
  static TaskFacts facts_for(const TransformerShape& shape) {
    const Vocabulary ids = Vocabulary::of_ids(shape.spec.tgt_vocab);
    return {"echo", ids, ids, start_id, {}, shape.tgt + 1};
  }

  TransformerShape shape_;
};

struct BenchTraining {
  Echo task;
  TrainingState state;
  Transformer<float> gradient;

  BenchTraining(const TransformerShape& shape, const TrainingConfig& config)
      : task(shape), state(start_training(config, task.facts())), gradient(zeros_like(state.model)) {}

  double step() { return train_step(state, gradient, task).loss; }

  /// The loss of the step to come.
  double loss_in_double() const {
    const TrainingConfig& config = state.config;
    const TrainingBatch batch = training_batch(task.batch(config.batch, config.seed, state.step));
    const TrainingMode training{config.seed, state.step, config.dropout};
    ModelSaved<double> saved;
    arma::mat z = logits(widened(state.model), batch.inputs(), {nullptr, &training}, saved);
    return loss_and_gradient(z, batch.labels, {config.smoothing, task.pad()}, 1).mean();
  }
};

TrainingConfig bench_training_config(const TransformerShape& shape, std::uint32_t seed) {
  TrainingConfig config;
  config.model = shape.spec;
  config.batch = shape.batch, config.seed = seed, config.smoothing = shape.smoothing;
  config.dropout = shape.dropout;
  config.schedule.d_model = shape.spec.d_model;
  return config;
}

} // namespace

Case train_case(const TransformerShape& shape, std::uint32_t seed) {
  require_room(shape, KeptActivations::for_backward);
  const auto training = std::make_shared<BenchTraining>(shape, bench_training_config(shape, seed));
  const auto run = [training] { return arma::fmat{static_cast<float>(training->step())}; };
  const auto compare = [training]() -> Agreement {
    const double expected = training->loss_in_double();
    return {"double", relative_difference(arma::mat{training->step()}, arma::mat{expected}), rounding_bound};
  };
  return {train_work(shape), run, compare};
}

} // namespace tfx::bench
