#pragma once
// The control run: a task whose batches pair each source with another one's target. The examples of a batch
// are drawn independently, so such a target says nothing about its source, and what a model learns from them
// is how targets look in general. What is held out stays true: on it, a model trained like this stays at
// chance.

#include "train/task.hpp"

namespace tfx {

class ShuffledTargets : public Task {
public:
  explicit ShuffledTargets(std::unique_ptr<Task> task);

  /// Throws Error(usage) for a batch of one, which has no other target.
  std::vector<Example> batch(std::size_t size, std::uint64_t seed, std::uint64_t step) const override;
  std::vector<Example> held_out(std::size_t count) const override;

private:
  std::unique_ptr<Task> task_;
};

} // namespace tfx
