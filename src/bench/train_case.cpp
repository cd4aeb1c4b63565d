// A step of training as it stands in train/trainer.hpp, over and over.

#include "bench/model_case.hpp"
#include "bench/widened.hpp"
#include "train/data_stream.hpp"
#include "train/trainer.hpp"

#include <memory>

namespace tfx::bench {

namespace {

/// Sources drawn from 1 … vocab − 1, the first token 1, as the copy task draws them; targets say them again,
/// from the beginning where they are longer.
class Echo : public Task {
public:
  explicit Echo(const EncoderDecoderShape& shape) : Task(facts_for(shape)), shape_(shape) {}

  std::vector<Example> batch(std::size_t size, std::uint64_t seed, std::uint64_t step) const override {
    DataStream stream(RandomStream(seed, stream_number("echo"), step));
    std::vector<Example> examples(size);
    for (Example& example : examples) {
      for (std::size_t i = 0; i < shape_.src; ++i) {
        const auto drawn = static_cast<std::uint32_t>(1 + stream.below(shape_.config.src_vocab - 1));
        example.src.push_back(i == 0 ? start() : drawn);
      }
      for (std::size_t i = 0; i <= shape_.tgt; ++i) example.tgt.push_back(example.src[i % shape_.src]);
    }
    return examples;
  }

  std::vector<Example> held_out(std::size_t) const override { return {}; }

private:
  static TaskFacts facts_for(const EncoderDecoderShape& shape) {
    const Vocabulary ids = Vocabulary::of_ids(shape.config.src_vocab);
    return {"echo", ids, ids, start_id, {}, shape.tgt + 1};
  }

  EncoderDecoderShape shape_;
};

struct BenchTraining {
  Echo task;
  TrainingState state;
  EncoderDecoder<float> gradient;

  BenchTraining(const EncoderDecoderShape& shape, const TrainingConfig& config)
      : task(shape), state(start_training(config, task.facts())), gradient(zeros_like(state.model)) {}

  double step() { return train_step(state, gradient, task).loss; }

  /// The loss of the step to come.
  double loss_in_double() const {
    const TrainingConfig& config = state.config;
    const TrainingBatch batch = training_batch(task.batch(config.batch, config.seed, state.step));
    const TrainingMode training{config.seed, state.step, config.dropout};
    ModelSaved<double> saved;
    arma::mat z = logits(widened(state.model), batch.src, batch.tgt, {nullptr, &training}, saved);
    return loss_and_gradient(z, batch.labels, {config.smoothing, task.pad()}, 1).mean();
  }
};

TrainingConfig bench_training_config(const EncoderDecoderShape& shape, std::uint32_t seed) {
  TrainingConfig config;
  config.model = shape.config;
  config.batch = shape.batch, config.seed = seed;
  config.schedule.d_model = shape.config.d_model;
  return config;
}

} // namespace

Case train_case(const EncoderDecoderShape& shape, std::uint32_t seed) {
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
