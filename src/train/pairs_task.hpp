#pragma once
// pairs: what a learner's file holds. A batch draws evenly, each time from all pairs that are not held out.
//
// Held out is one source in ten, rounded down: those that come first by their hash, with all their targets. A
// file of fewer than ten different sources has none. Where there is a file of validation, it is what is held
// out, and all others are trained on.
//
// A side is split into words where most of its lines have white space inside, into characters otherwise. The
// vocabularies, but those of byte pairs, hold <unk> and the tokens of all pairs, so that a held-out pair can
// be shown as it is written, but for tokens that are too rare; a file of validation adds none.

#include "train/pairs_file.hpp"
#include "train/task.hpp"

namespace tfx {

class PairsTask : public Task {
public:
  /// At least one pair; `name` is their file's name in messages. Of the options the tokenizers count,
  /// min_count, and the name of the file that `validation` was read from. Throws Error(bad_data) where a side
  /// has more than max_pair_tokens, Error(usage) where a tokenizer is ids.
  PairsTask(const std::vector<Pair>& pairs, const std::string& name, const TaskOptions& options,
            const std::vector<Pair>& validation = {});

  std::vector<Example> batch(std::size_t size, std::uint64_t seed, std::uint64_t step) const override;
  std::vector<Example> held_out(std::size_t count) const override;

private:
  std::vector<Example> trained_, held_out_;
};

} // namespace tfx
