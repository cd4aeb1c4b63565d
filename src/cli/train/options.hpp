#pragma once
// What `tfx train` takes: a task, how to train on it, and which files to write.

#include "cli/context.hpp"
#include "io/array.hpp"
#include "model/model_card.hpp"
#include "train/trainer.hpp"

namespace tfx {

/// How a side of own pairs is cut: "words", "characters", "bpe:FILE".
struct TokenRule {
  Tokenizer tokenizer = Tokenizer::words;
  std::string merges = {}; ///< the file of bpe
  bool operator==(const TokenRule&) const = default;
};

struct TrainOptions {
  std::optional<std::string> task, preset, pairs, validation, corpus, out, weights, resume, log, save;
  std::vector<std::string> more_files; ///< of the corpus, behind the first
  std::optional<std::size_t> layers, d_model, heads, d_ff, context, steps, batch, accumulate, warmup,
      decay_to;
  std::optional<std::size_t> save_every, measure_every, held_out, examples, min_count;
  std::optional<double> rate, smoothing, dropout, clip, weight_decay;
  std::optional<Schedule::Curve> schedule;
  std::optional<TokenRule> src_tokens, tgt_tokens, tokens;
  std::optional<Documents> documents;
  std::optional<DType> weights_dtype;
  std::optional<Norm> norm;
  std::optional<std::uint32_t> seed;
  std::optional<NormPlacement> placement;
  bool shuffle_targets = false;
  bool quiet = false, json = false, no_time = false;
};

/// How a training starts: one that goes on has the rest from its checkpoint.
enum class Start { anew, from_checkpoint };

const std::vector<Option<TrainOptions, Start>>& train_options();

/// Throws Error(usage) where a file would be written over another that is read or written too, where a name
/// promises another format than it would hold, and where an option about files has no use: checked before the
/// training, which may take hours.
void check_train_files(const TrainOptions& options);

/// The configuration that was asked for. Throws Error(usage) where options contradict each other.
TrainingConfig training_config_of(const TrainOptions& options);

/// A checkpoint's configuration with the steps that are asked for now. Throws Error(usage) where an option
/// contradicts the checkpoint, its card too: that says how its texts were cut.
TrainingConfig resumed_config(const TrainingConfig& saved, const ModelCard& card,
                              const TrainOptions& options);

/// The task of a configuration; the options give the tokenizers of a learner's own pairs, or the card of a
/// checkpoint does.
std::unique_ptr<Task> task_of(const TrainingConfig& config, const TrainOptions& options);
std::unique_ptr<Task> task_of(const TrainingConfig& config, const ModelCard& card);

/// The command that goes on with a training.
std::string resume_command(const std::string& file, const TrainOptions& options, const GlobalOptions& global);

} // namespace tfx
