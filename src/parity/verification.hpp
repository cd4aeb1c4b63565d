#pragma once
// The whole program against numbers that others computed, and its parts against each other: what `tfx verify`
// prints. Lessons and draws stand against NumPy's, the engine against PyTorch's, the page's, and its own the
// other way; every reference is part of the executable.

#include <cstddef>
#include <string>
#include <vector>

namespace tfx {

/// One line: how far the worst number is off, and how far it may be.
struct Verified {
  /// "lesson", "random", "forward", "page", "gradients", "adam", "parameters", "cache", "trained",
  /// "round_held_out", "round_trained".
  std::string id;
  std::string subject;      ///< "scores", "float64", "reverse"
  std::size_t sources = 0;  ///< runs or models compared with
  std::size_t compared = 0; ///< numbers, or answers
  double worst = 0, bound = 0;
  std::string sample = {}; ///< of a trained model: "attention → noitnetta"

  bool holds() const { return compared > 0 && worst <= bound; }
};

/// Every lesson on every tutorial's run that fits it, against NumPy's: within 1e-12.
std::vector<Verified> verify_lessons();

/// Every kind of draw against NumPy's, bit for bit: `worst` counts the numbers that differ.
Verified verify_random();

/// The engine against PyTorch (activations, gradients, Adam), in float32 and float64; against the page;
/// decoding with and without a cache; the number of parameters against the tutorial's.
std::vector<Verified> verify_engine();

/// The shipped models on held-out data: `worst` is the share of wrong answers.
std::vector<Verified> verify_trained();

/// All of them in this order.
std::vector<Verified> verify_everything();

} // namespace tfx
