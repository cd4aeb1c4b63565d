#include "train/task.hpp"

#include "core/error.hpp"
#include "io/file.hpp"
#include "io/foreign_file.hpp"
#include "random/stream.hpp"
#include "text/names.hpp"
#include "text/utf8.hpp"
#include "train/corpus.hpp"
#include "train/generated_task.hpp"
#include "train/pairs_task.hpp"

#include <algorithm>
#include <utility>

namespace tfx {

double held_out_place(std::string_view key) {
  return RandomStream(0, stream_number(key), 0).uniform(0); // FNV alone leaves neighbours near each other
}

bool is_held_out(std::string_view key) {
  constexpr double share = 0.1;
  return held_out_place(key) < share;
}

namespace {

[[noreturn]] void refuse_name(const std::string& name) {
  const auto near = nearest(name, task_names());
  throw usage(said("no task is called \"{name}\"", {{"name", escape_controls(name)}}),
              near ? said("did you mean {name}?", {{"name", *near}})
                   : said("the tasks are {names}", {{"names", join(task_names(), ", ")}}));
}

std::unique_ptr<Task> task_with_own_targets(const std::string& name, const TaskOptions& options) {
  if (name == "pairs") {
    if (options.pairs_file.empty())
      throw usage(said("the task pairs needs a file"), said("give one with --pairs FILE.tsv"));
    const std::string& validation = options.validation_file;
    return std::make_unique<PairsTask>(
        read_pairs(read_text(options.pairs_file), options.pairs_file), options.pairs_file, options,
        validation.empty() ? std::vector<Pair>() : read_pairs(read_text(validation), validation));
  }
  if (name == "corpus") {
    if (!options.corpus || options.corpus->files.empty())
      throw usage(said("the task corpus needs a file"), said("give one with --corpus FILE"));
    const CorpusRule& rule = *options.corpus;
    return std::make_unique<CorpusTask>(read_corpus(rule.files, rule.documents), rule,
                                        options.tgt_byte_pairs);
  }
  if (!options.pairs_file.empty() || !options.validation_file.empty())
    throw usage(said("the task {name} takes no file of pairs", {{"name", name}}),
                said("leave out --task or the file"));
  if (options.src_tokens || options.tgt_tokens)
    throw usage(said("the task {name} has tokens of its own", {{"name", name}}),
                said("only pairs can be split otherwise"));
  if (name == "copy") return std::make_unique<CopyTask>();
  if (name == "reverse") return std::make_unique<ReverseTask>();
  return std::make_unique<NumbersTask>(options.draws);
}

} // namespace

TokenIds answer(const TaskFacts& facts, const TokenIds& tgt) {
  const bool ends = facts.end && tgt.size() > 1 && tgt.back() == *facts.end;
  return {tgt.begin() + (tgt.empty() ? 0 : 1), tgt.end() - (ends ? 1 : 0)};
}

TokenIds target(TokenIds answer) {
  answer.insert(answer.begin(), start_id);
  answer.push_back(end_id);
  return answer;
}

const std::vector<std::string>& task_names() {
  static const std::vector<std::string> names{"copy", "reverse", "numbers-zh", "pairs", "corpus"};
  return names;
}

std::unique_ptr<Task> make_task(const std::string& name, const TaskOptions& options) {
  if (std::find(task_names().begin(), task_names().end(), name) == task_names().end()) refuse_name(name);
  auto task = task_with_own_targets(name, options);
  if (options.examples > 0) task = std::make_unique<FewExamples>(std::move(task), options.examples);
  if (options.targets == Targets::shuffled) task = std::make_unique<ShuffledTargets>(std::move(task));
  return task;
}

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
