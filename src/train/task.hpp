#pragma once
// What a model is trained on: pairs of token sequences, drawn by rule or from a learner's file. A batch is a
// function of (seed, step): the same whatever was drawn before, so that a resumed training goes on with the
// batches it would have seen. Examples that are held out stand in no batch of any seed, as what they are
// about decides it; they stay true in control runs, whose batches a training must learn nothing from.

#include "model/batch.hpp"
#include "random/stream.hpp"
#include "text/vocabulary.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tfx {

// Draws for training data, one after another from the numbers of a RandomStream: whole numbers below a bound.

class DataStream {
public:
  explicit DataStream(const RandomStream& stream) : stream_(stream) {}

  /// The next draw: 0 … bound − 1, each as likely (to bound / 2³²).
  std::size_t below(std::size_t bound) {
    return static_cast<std::size_t>(unit() * static_cast<double>(bound));
  }

  /// The next draw, in [0, 1).
  double unit() { return stream_.uniform(index_++); }

private:
  RandomStream stream_;
  std::uint64_t index_ = 0;
};

/// A key's place in [0, 1), spread evenly over keys: a hash.
double held_out_place(std::string_view key);

/// One key in ten.
bool is_held_out(std::string_view key);

/// Training feeds tgt[0 … n−2] and wants tgt[1 … n−1].
struct Example {
  TokenIds src = {}; ///< what the encoder reads, as the vocabulary encodes a text: no start, no end
  TokenIds tgt = {}; ///< the start, then the answer, then the end where the task has one
  std::size_t bytes = 0, unknown_bytes = 0; ///< of a document: of its text, and of what is <unk> in it

  bool operator==(const Example&) const = default;
};

/// What is fixed for all examples of a task.
struct TaskFacts {
  std::string name;
  Vocabulary src_vocabulary = {}, tgt_vocabulary = {};
  std::uint32_t start = start_id;
  std::optional<std::uint32_t> end = end_id; ///< none: decoding stops at max_tokens
  std::size_t max_tokens = 0;                ///< of a tgt, at most, start and end included
  std::size_t max_src_tokens = 0;            ///< of a src, at most; 0: there are none
  std::uint32_t pad = pad_id;                ///< fills ragged rows up; no src and no tgt holds it
  std::size_t documents = 0;                 ///< of a corpus, that are trained on
  std::string sha256 = {};                   ///< of a corpus's files (train/corpus.hpp)
};

class Task {
public:
  explicit Task(TaskFacts facts) : facts_(std::move(facts)) {}
  virtual ~Task() = default;

  const TaskFacts& facts() const { return facts_; }
  const std::string& name() const { return facts_.name; }
  const Vocabulary& src_vocabulary() const { return facts_.src_vocabulary; }
  const Vocabulary& tgt_vocabulary() const { return facts_.tgt_vocabulary; }
  std::uint32_t pad() const { return facts_.pad; }
  std::uint32_t start() const { return facts_.start; }
  std::optional<std::uint32_t> end() const { return facts_.end; }
  std::size_t max_tokens() const { return facts_.max_tokens; }

  /// Examples for one step of training; a smaller batch is the beginning of a larger one.
  virtual std::vector<Example> batch(std::size_t size, std::uint64_t seed, std::uint64_t step) const = 0;

  /// Examples that stand in no batch, always the same, each another; fewer where the task has no more.
  virtual std::vector<Example> held_out(std::size_t count) const = 0;

private:
  TaskFacts facts_;
};

/// The answer in an example's tgt: without the start, and without the end where it has one.
TokenIds answer(const TaskFacts& facts, const TokenIds& tgt);

/// A tgt from its answer: the start before it, the end behind it.
TokenIds target(TokenIds answer);

struct CorpusRule; // train/corpus.hpp

enum class Targets {
  own,
  shuffled ///< the control run: within a batch each source gets another's target, so that none can be learned
};

/// How the task numbers-zh draws its numbers. A training keeps the rule that it began with.
enum class NumberDraws {
  digits, ///< every digit by itself: of a million numbers about one is round
  blocks  ///< half of them so; a quarter with blocks of zeros; a quarter round: one to three digits, then
          ///< zeros
};

struct TaskOptions {
  std::string pairs_file = {};                               ///< of the task pairs; "-" is standard input
  std::string validation_file = {};                          ///< of the task pairs: all that is held out
  std::optional<Tokenizer> src_tokens = {}, tgt_tokens = {}; ///< of the task pairs; none: as its file looks
  std::size_t min_count = 1; ///< of the task pairs: tokens that its file has fewer times are <unk>
  std::shared_ptr<const BytePairs> src_byte_pairs = {}, tgt_byte_pairs = {}; ///< of Tokenizer::bpe
  Targets targets = Targets::own;
  std::size_t examples = 0;                ///< that are trained on, again and again; 0: all that there are
  NumberDraws draws = NumberDraws::blocks; ///< of the task numbers-zh
  std::shared_ptr<const CorpusRule> corpus =
      {}; ///< of the task corpus, whose tokens are tgt_byte_pairs or characters
};

/// copy, reverse, numbers-zh, pairs, corpus.
const std::vector<std::string>& task_names();

/// Throws Error(usage), with a near miss, where no task has that name, where pairs lacks its file or another
/// task is given one, and what reading the file throws.
std::unique_ptr<Task> make_task(const std::string& name, const TaskOptions& options = {});

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
