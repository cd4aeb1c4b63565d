// A mistake gives the numbers that NumPy gives a learner who makes it: data/reference/mistakes.npz.

#include "io/file.hpp"
#include "io/npz.hpp"
#include "lessons/measure.hpp"
#include "lessons/run.hpp"
#include "lessons/wrong_run.hpp"
#include "support/catch.hpp"

#include <map>
#include <set>

using namespace tfx;

namespace {

// RUN.in.TENSOR and RUN.MISTAKE.TENSOR
struct Entry {
  std::string run, mistake, tensor;
  Tensor value;
};

std::vector<Entry> entries() {
  const std::string path = std::string(TFX_SOURCE_DIR) + "/data/reference/mistakes.npz";
  std::vector<Entry> all;
  for (NamedArray& array : read_npz(read_file(path), path)) {
    const std::size_t first = array.name.find('.'), last = array.name.rfind('.');
    all.push_back({array.name.substr(0, first), array.name.substr(first + 1, last - first - 1),
                   array.name.substr(last + 1), std::move(array.array.values)});
  }
  return all;
}

Trace right_run(const std::string& run, const std::vector<Entry>& all) {
  LessonInput input;
  for (const Entry& entry : all)
    if (entry.run == run && entry.mistake == "in")
      input.given.add_input(entry.tensor, "NumPy", entry.value, {});
  input.causal = run == "causal";
  input.pad = run == "padded" ? 2 : run == "cross" ? 1 : 0;
  input.heads = run == "multihead" ? 2 : 1;
  const bool masked = run == "causal" || run == "padded" || run == "blocked";
  return find_lesson(masked ? "masked" : run).run(input);
}

} // namespace

TEST_CASE("a wrong run's numbers are NumPy's", "[lessons][mistakes]") {
  const std::vector<Entry> all = entries();
  std::map<std::string, Trace> right;
  std::set<std::string> compared;
  for (const Entry& entry : all) {
    if (entry.mistake == "in") continue;
    INFO(entry.run << " " << entry.mistake << " " << entry.tensor);
    if (!right.contains(entry.run)) right[entry.run] = right_run(entry.run, all);
    const Mistake* mistake = find_mistake(entry.mistake);
    REQUIRE(mistake);
    const WrongRun run = run_wrong(right[entry.run], {mistake});
    CHECK_FALSE(run.made.empty());
    REQUIRE(run.trace.has(entry.tensor));
    CHECK(relative_difference(run.trace[entry.tensor], entry.value) <= 1e-12);
    compared.insert(entry.mistake);
  }
  for (const Mistake& mistake : mistakes())
    if (mistake.folder >= "lessons/02" && mistake.folder < "lessons/10") {
      INFO(mistake.id);
      CHECK(compared.contains(mistake.id));
    }
}
