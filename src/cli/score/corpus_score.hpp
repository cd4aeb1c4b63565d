#pragma once
// tfx score --corpus: how well a model that was trained on a text says what it has not read of it, beside the
// models that count.

#include "render/report.hpp"
#include "train/corpus.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tfx {

struct CorpusScoreRequest {
  std::string model;                       ///< a file or a shipped one
  std::vector<std::string> corpus;         ///< the files that it was trained on
  std::optional<std::string> other = {};   ///< a text to score in place of what was held out
  std::optional<Documents> documents = {}; ///< of the other text, and of the corpus where the file is silent
  std::size_t draws = 1000;                ///< of the bootstrap
  std::uint64_t seed = 0;
};

/// Throws Error(bad_data) where the model has an encoder or no vocabulary, where the corpus is not the text
/// that it was trained on, or where nothing is left to score; what reading throws.
Report corpus_score(const CorpusScoreRequest& request);

} // namespace tfx
