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

/// The ids of a lesson's mistakes.
inline std::set<std::string> mistakes_of(const Lesson& lesson) {
  std::set<std::string> ids;
  for (const Mistake& mistake : mistakes())
    if (mistake.folder == lesson.folder) ids.insert(mistake.id);
  return ids;
}

/// The same of a file of the lesson's own run: arrays TENSOR of the right one, and MISTAKE.TENSOR.
/// `as_in_file`: a tensor of a run as the file has it; `is_other`: which arrays are no tensors.
inline std::set<std::string> compare_run_with_numpy(
    const Lesson& lesson, const Trace& right, const std::string& file,
    const std::function<Tensor(const Trace&, const std::string&)>& as_in_file =
        [](const Trace& t, const std::string& name) { return t[name]; },
    const std::function<bool(const std::string&)>& is_other = [](const std::string&) { return false; }) {
  const std::string path = std::string(TFX_SOURCE_DIR) + "/data/reference/" + file,
                    own = lesson.command + ".";
  std::set<std::string> compared;
  for (const NamedArray& array : read_npz(read_file(path), path)) {
    INFO(array.name);
    if (is_other(array.name)) continue;
    if (!array.name.starts_with(own)) {
      CHECK(relative_difference(as_in_file(right, array.name), array.array.values) <= 1e-12);
      continue;
    }
    const std::size_t end = array.name.find('.', own.size());
    const Mistake* mistake = find_mistake(array.name.substr(0, end));
    REQUIRE(mistake);
    const WrongRun made = run_wrong(right, {mistake});
    CHECK_FALSE(made.made.empty());
    const std::string tensor = array.name.substr(end + 1);
    CHECK(std::ranges::count(made.changed, tensor) == 1);
    CHECK(relative_difference(as_in_file(made.trace, tensor), array.array.values) <= 1e-12);
    compared.insert(mistake->id);
  }
  return compared;
}

} // namespace tfx
