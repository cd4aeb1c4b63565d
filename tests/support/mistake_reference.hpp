#pragma once
// Wrong runs as NumPy and PyTorch compute them: arrays RUN.in.TENSOR and RUN.MISTAKE.TENSOR of an .npz in
// data/reference.

#include "io/file.hpp"
#include "io/npz.hpp"
#include "judge/wrong_run.hpp"
#include "lessons/catalogue.hpp"
#include "support/catch.hpp"
#include "trace/checks.hpp"
#include "trace/mistake.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>

namespace tfx {

/// The lesson whose mistake it is.
inline const Lesson& lesson_of(const Mistake& mistake) {
  return *std::ranges::find(lessons(), mistake.folder, &Lesson::folder);
}

/// Of attention alone: make_mistakes.py has it, and attention_properties() notice it.
inline bool is_about_attention(const Mistake& mistake) {
  static const std::set<std::string> lessons = {"qkv",  "scores", "softmax",   "attention",
                                                "sdpa", "masked", "multihead", "cross"};
  return lessons.contains(lesson_of(mistake).command);
}

/// Makes every mistake of the file in the right run that `run` computes of a name and NumPy's inputs, and
/// compares its tensors. The mistakes that were made.
inline std::set<std::string>
compare_with_numpy(const std::string& file,
                   const std::function<Trace(const std::string&, LessonInput)>& run) {
  const std::string path = std::string(TFX_SOURCE_DIR) + "/data/reference/" + file;
  struct Entry {
    std::string run, mistake, tensor;
    Tensor value;
  };
  std::vector<Entry> wrong;
  std::map<std::string, LessonInput> inputs;
  for (NamedArray& array : read_npz(read_file(path), path)) {
    const std::size_t first = array.name.find('.');
    const bool is_input = array.name.compare(first, 4, ".in.") == 0; // its name may have dots of its own
    const std::size_t last = is_input ? first + 3 : array.name.rfind('.');
    Entry entry{array.name.substr(0, first), array.name.substr(first + 1, last - first - 1),
                array.name.substr(last + 1), std::move(array.array.values)};
    if (entry.mistake == "in")
      inputs[entry.run].given.add_input(entry.tensor, "NumPy", entry.value, Labels(entry.value.rank()));
    else
      wrong.push_back(std::move(entry));
  }
  std::map<std::string, Trace> right;
  for (const auto& [name, input] : inputs) right[name] = run(name, input);
  std::set<std::string> compared;
  for (const Entry& entry : wrong) {
    INFO(entry.run << " " << entry.mistake << " " << entry.tensor);
    const Mistake* mistake = find_mistake(entry.mistake);
    REQUIRE(mistake);
    const WrongRun made = run_wrong(right.at(entry.run), {mistake});
    CHECK_FALSE(made.made.empty());
    REQUIRE(made.trace.has(entry.tensor));
    CHECK(relative_difference(made.trace[entry.tensor], entry.value) <= 1e-12);
    compared.insert(entry.mistake);
  }
  return compared;
}

} // namespace tfx
