#pragma once
// microgpt's own run, digit by digit: what its blog prints of a training on a list of names, and enough of
// that list to make the first steps without it. Source: Karpathy 2026, "microgpt".

#include "model/transformer.hpp"
#include "train/corpus.hpp"
#include "train/training_config.hpp"

#include <string>
#include <vector>

namespace tfx {

struct MicrogptFacts {
  std::string sha256;               ///< of names.txt
  std::size_t documents = 0;        ///< names in it
  std::vector<std::string> names;   ///< the first ones after the shuffle
  std::vector<double> losses;       ///< of the steps on them, as printed
  std::vector<std::string> samples; ///< what it writes after all steps
};

const MicrogptFacts& microgpt_facts();

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
