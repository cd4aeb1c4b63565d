#include "train/shuffled_targets.hpp"

#include "core/error.hpp"
#include "train/data_stream.hpp"

#include <utility>

namespace tfx {

ShuffledTargets::ShuffledTargets(std::unique_ptr<Task> task) : Task(task->facts()), task_(std::move(task)) {}

std::vector<Example> ShuffledTargets::batch(std::size_t size, std::uint64_t seed, std::uint64_t step) const {
  if (size == 1)
    throw Error(ErrorKind::usage, "a batch of one example has no other target to shuffle with",
                "take a batch of two or more");
  std::vector<Example> examples = task_->batch(size, seed, step);
  DataStream stream(RandomStream(seed, stream_number("shuffled targets"), step));
  // Sattolo's algorithm: one cycle through all, so that no source keeps its own target.
  for (std::size_t last = size; last-- > 1;) std::swap(examples[last].tgt, examples[stream.below(last)].tgt);
  return examples;
}

std::vector<Example> ShuffledTargets::held_out(std::size_t count) const {
  return task_->held_out(count);
}

} // namespace tfx
