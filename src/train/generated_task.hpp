#pragma once
// A task whose examples are drawn by a rule. One in ten of what can be held out is (train/held_out.hpp):
// where training draws such an example, it draws again.

#include "train/data_stream.hpp"
#include "train/task.hpp"

namespace tfx {

class GeneratedTask : public Task {
public:
  using Task::Task;

  std::vector<Example> batch(std::size_t size, std::uint64_t seed, std::uint64_t step) const final;
  std::vector<Example> held_out(std::size_t count) const final;

protected:
  struct DrawnExample {
    Example example;
    std::string key; ///< what it is about: examples of one key are held out together; empty: never held out
  };

private:
  virtual DrawnExample draw(DataStream& stream) const = 0;
};

} // namespace tfx
