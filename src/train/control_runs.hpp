#pragma once
// Tasks that a training must not succeed at: what is held out stays true, and a model trained like this stays
// at chance on it.

#include "train/task.hpp"

namespace tfx {

/// Batches pair each source with another one's target. The examples of a batch are drawn independently, so
/// such a target says nothing about its source, and what a model learns from them is how targets look in
/// general.
class ShuffledTargets : public Task {
public:
  explicit ShuffledTargets(std::unique_ptr<Task> task);

  /// Throws Error(usage) for a batch of one, which has no other target.
  std::vector<Example> batch(std::size_t size, std::uint64_t seed, std::uint64_t step) const override;
  std::vector<Example> held_out(std::size_t count) const override;

private:
  std::unique_ptr<Task> task_;
};

/// Batches draw from so many examples alone, the first that the seed gives: few are learned by heart.
class FewExamples : public Task {
public:
  FewExamples(std::unique_ptr<Task> task, std::size_t count);

  std::vector<Example> batch(std::size_t size, std::uint64_t seed, std::uint64_t step) const override;
  std::vector<Example> held_out(std::size_t count) const override;

private:
  std::unique_ptr<Task> task_;
  std::size_t count_;
};

} // namespace tfx
