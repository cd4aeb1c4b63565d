#pragma once
// What `tfx train` takes: a task, a recipe, and what to do on the way.

#include "cli/context.hpp"
#include "train/trainer.hpp"

namespace tfx {

struct TrainOptions {
  std::optional<std::string> task, preset, pairs, out, weights, resume, log;
  std::optional<std::size_t> layers, d_model, heads, d_ff, steps, batch, accumulate, warmup, decay_to;
  std::optional<std::size_t> save_every, measure_every, held_out;
  std::optional<std::string> rate, smoothing, dropout, clip, weight_decay;
  std::optional<Schedule::Shape> schedule;
  std::optional<Tokenizer> src_tokens, tgt_tokens;
  std::optional<NormRule> norm;
  std::optional<std::uint32_t> seed;
  bool norm_first = false, norm_last = false, shuffle_targets = false;
  bool quiet = false, json = false, no_time = false;
};

void add_train_options(CLI::App& command, TrainOptions& options, const Context& context);

/// Throws Error(usage) where a file would be written over another that is read or written too, where a name
/// promises another format than it would hold, and where an option about files has no use. Hours of training
/// are not to end there.
void check_train_files(const TrainOptions& options, const Context& context);

/// The recipe that was asked for. Throws Error(usage) where options contradict each other.
Recipe recipe_of(const TrainOptions& options, const Context& context);

/// The recipe of a checkpoint, with the steps that are asked for now. Throws Error(usage) where an option
/// says something else than the checkpoint.
Recipe resumed_recipe(const Recipe& saved, const TrainOptions& options, const Context& context);

/// The task of a recipe, tokenizers of own pairs included.
std::unique_ptr<Task> task_of(const Recipe& recipe, const TrainOptions& options);

/// The command that goes on with a training.
std::string resume_command(const std::string& file, const TrainOptions& options, const GlobalOptions& global);

} // namespace tfx
