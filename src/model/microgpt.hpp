#pragma once
// microgpt, a GPT in one file: how it is trained, and what its blog prints of that run. Source: Karpathy
// 2026, "microgpt".

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tfx {

/// A name a step, Adam, and a rate that falls in a line: rate·(1 − (step − 1)/steps).
struct MicrogptTraining {
  std::uint64_t steps = 1000;
  double rate = 0.01, beta_1 = 0.85, beta_2 = 0.99, epsilon = 1e-8;
};

struct MicrogptFacts {
  std::string sha256;               ///< of its list of names
  std::size_t documents = 0;        ///< names in it
  std::vector<std::string> names;   ///< the first ones after the shuffle
  std::vector<double> losses;       ///< of the steps on them, as printed
  std::vector<std::string> samples; ///< what it writes after all steps
};

const MicrogptFacts& microgpt_facts();

} // namespace tfx
