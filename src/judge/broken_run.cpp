#include "judge/broken_run.hpp"

#include "core/progress.hpp"

#include <algorithm>

namespace tfx {

const ChangedStep* BrokenRun::find(const std::string& name) const {
  const auto step = std::ranges::find(changed, name, &ChangedStep::name);
  return step == changed.end() ? nullptr : &*step;
}

BrokenRun broken_run(const Trace& right, const Mistake& mistake) {
  BrokenRun broken{&mistake, run_wrong(right, {&mistake}), {}};
  for (const std::string& name : broken.run.changed) {
    const bool made = std::ranges::count(broken.run.made, name) > 0;
    const Difference difference = tfx::difference(broken.run.trace[name], right[name], Tolerance{});
    if (!difference.equal()) broken.changed.push_back({name, made, difference});
  }
  return broken;
}

bool is_broken(const BrokenRun& broken) {
  return !broken.run.made.empty() || broken.run.stops;
}

std::vector<BrokenRun> broken_runs(const Trace& right, const Lesson& lesson) {
  std::vector<BrokenRun> all;
  std::size_t tried = 0;
  for (const Mistake& mistake : mistakes()) {
    tell_progress(mistake.id, {++tried, mistakes().size()});
    BrokenRun broken = broken_run(right, mistake);
    if (!is_broken(broken)) continue;
    for (Step& step : broken.run.trace.steps)
      step.value.data = std::vector<double>(); // {} would keep the memory
    all.push_back(std::move(broken));
  }
  std::stable_partition(all.begin(), all.end(),
                        [&](const BrokenRun& b) { return b.mistake->folder == lesson.folder; });
  return all;
}

} // namespace tfx
