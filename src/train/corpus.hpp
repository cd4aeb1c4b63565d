#pragma once
// corpus: a text to be gone on with. A language model learns what comes next in each of its documents, and is
// judged on documents that it has not seen.

#include "train/documents.hpp"
#include "train/task.hpp"

#include <map>
#include <string>
#include <vector>

namespace tfx {

/// Which documents a model never trains on.
enum class HeldOut {
  tenth, ///< the tenth, the twentieth, …
  none
};
const Choices<HeldOut>& held_out_words();

/// Of document number `document`, from 0 on.
bool is_held_out(std::size_t document, HeldOut rule);

/// What a step reads.
enum class Reading {
  pieces,   ///< pieces of documents, drawn so that every token is read as often
  documents ///< one document after another, in the order of Python's random.shuffle: microgpt's
};
const Choices<Reading>& reading_words();

struct CorpusRule {
  std::vector<std::string> files = {};
  Documents documents = Documents::blank;
  HeldOut held_out = HeldOut::tenth;
  Reading reading = Reading::pieces;
  std::size_t context = 64;  ///< tokens that the model reads at once, at most
  std::size_t min_count = 1; ///< rarer tokens are <unk>
  std::uint64_t seed = 42;   ///< of the order of Reading::documents

  bool operator==(const CorpusRule&) const = default;
};

/// Under these keys a file's metadata have the words of a rule's documents and of its held_out.
inline constexpr const char *documents_key = "train.documents", *held_out_key = "train.held_out";

/// The rule that they say; what they do not say stays as it is in CorpusRule.
CorpusRule corpus_rule_in(const std::map<std::string, std::string>& metadata);

/// A document between its start and its end. Throws what Vocabulary::encode throws.
Example document_example(const TaskFacts& facts, const std::string& text);

/// An example is a document between its start and its end, or a piece of that; its src is empty.
class CorpusTask : public Task {
public:
  /// <unk> are tokens that stand fewer than rule.min_count times in the documents that are trained on, and
  /// those that stand in held-out ones alone. `pairs`: cut by them instead of into characters. With
  /// Reading::documents the vocabulary is microgpt's: the characters in order, and one mark for start and
  /// end.
  CorpusTask(const Corpus& corpus, const CorpusRule& rule,
             const std::shared_ptr<const BytePairs>& pairs = nullptr);

  std::vector<Example> batch(std::size_t size, std::uint64_t seed, std::uint64_t step) const override;
  /// Whole documents.
  std::vector<Example> held_out(std::size_t count) const override;

  /// The documents that are trained on, each from its start to its end.
  const std::vector<Example>& trained() const { return trained_; }

protected:
  /// The first documents of an order that is made already, of so many with letters from a to z.
  CorpusTask(const CorpusRule& rule, const std::vector<std::string>& first, std::size_t documents);

private:
  Example piece(DataStream& draws) const;

  CorpusRule rule_;
  std::vector<Example> trained_, held_out_;
  std::vector<double> places_; ///< of pieces: of each trained document and those before it
};

} // namespace tfx
