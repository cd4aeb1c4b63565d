#include "train/generated_task.hpp"

#include "train/held_out.hpp"

#include <set>
#include <utility>

namespace tfx {

namespace {

bool kept_from_training(const std::string& key) {
  return !key.empty() && is_held_out(key);
}

} // namespace

std::vector<Example> GeneratedTask::batch(std::size_t size, std::uint64_t seed, std::uint64_t step) const {
  DataStream stream(RandomStream(seed, stream_number("data"), step));
  std::vector<Example> examples;
  while (examples.size() < size)
    if (DrawnExample drawn = draw(stream); !kept_from_training(drawn.key))
      examples.push_back(std::move(drawn.example));
  return examples;
}

std::vector<Example> GeneratedTask::held_out(std::size_t count) const {
  DataStream stream(RandomStream(0, stream_number("held out"), 0));
  std::vector<Example> examples;
  std::set<std::string> keys;
  // One draw in ten or a little less is wanted: who draws this often in vain has seen them all.
  constexpr std::size_t patience = 10'000;
  for (std::size_t in_vain = 0; examples.size() < count && in_vain < patience; ++in_vain) {
    DrawnExample drawn = draw(stream);
    if (!kept_from_training(drawn.key) || !keys.insert(std::move(drawn.key)).second) continue;
    examples.push_back(std::move(drawn.example));
    in_vain = 0;
  }
  return examples;
}

} // namespace tfx
