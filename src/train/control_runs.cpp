#include "train/control_runs.hpp"

#include "core/error.hpp"
#include "train/data_stream.hpp"

#include <utility>

namespace tfx {

ShuffledTargets::ShuffledTargets(std::unique_ptr<Task> task) : Task(task->facts()), task_(std::move(task)) {}

std::vector<Example> ShuffledTargets::batch(std::size_t size, std::uint64_t seed, std::uint64_t step) const {
  if (size == 1)
    throw usage(said("a batch of one example has no other target to shuffle with"),
                said("take a batch of two or more"));
  std::vector<Example> examples = task_->batch(size, seed, step);
  DataStream stream(RandomStream(seed, stream_number("shuffled targets"), step));
  // Sattolo's algorithm: one cycle through all, so that no source keeps its own target.
  for (std::size_t last = size; last-- > 1;) std::swap(examples[last].tgt, examples[stream.below(last)].tgt);
  return examples;
}

std::vector<Example> ShuffledTargets::held_out(std::size_t count) const {
  return task_->held_out(count);
}

FewExamples::FewExamples(std::unique_ptr<Task> task, std::size_t count)
    : Task(task->facts()), task_(std::move(task)), count_(count) {}

std::vector<Example> FewExamples::batch(std::size_t size, std::uint64_t seed, std::uint64_t step) const {
  const std::vector<Example> few = task_->batch(count_, seed, 0);
  DataStream stream(RandomStream(seed, stream_number("few examples"), step));
  std::vector<Example> examples;
  for (std::size_t i = 0; i < size; ++i) examples.push_back(few[stream.below(count_)]);
  return examples;
}

std::vector<Example> FewExamples::held_out(std::size_t count) const {
  return task_->held_out(count);
}

} // namespace tfx
