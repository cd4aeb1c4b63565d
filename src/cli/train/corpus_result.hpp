#pragma once
// A training on a text: while it runs, how well it says what it has not read, beside the models that count,
// and what it writes; then the report of all that. Where the text is microgpt's, its blog's numbers stand
// beside.

#include "cli/train/result.hpp"
#include "render/report.hpp"
#include "train/corpus.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tfx {

/// A text that a model has written after a step.
struct WrittenSample {
  std::uint64_t step = 0;
  std::string text;
};

/// Some tokens from the start of a document on, at temperature 0.8; the same for a seed.
std::string written_sample(const Transformer<float>& model, const TaskFacts& facts, std::uint64_t seed);

/// What was seen of a text beside the steps.
struct WatchedText {
  std::size_t measured_documents = 0; ///< of those that are held out
  std::vector<double> counted;        ///< bits per byte by each order; empty where nothing is held out
  std::vector<WrittenSample> samples;
};

Report corpus_report(const Screen& frame, const TrainingState& state, const CorpusTask& task,
                     const TrainingRun& run, const WatchedText& text);

} // namespace tfx
