#pragma once
// microgpt's own run, digit by digit: its first steps without its list of names, and what it writes after
// all.

#include "model/microgpt.hpp"
#include "model/transformer.hpp"
#include "train/corpus.hpp"
#include "train/training_config.hpp"

#include <string>
#include <vector>

namespace tfx {

/// The preset on those names alone: its batches of the first steps are those of the whole list.
class MicrogptNames : public CorpusTask {
public:
  MicrogptNames();
};

/// What a trained model writes as the blog samples: after all draws that the training has made from Python's
/// random, at temperature 0.5.
std::vector<std::string> microgpt_samples(const Transformer<float>& model, const TaskFacts& facts,
                                          std::uint64_t seed, std::size_t count);

} // namespace tfx
