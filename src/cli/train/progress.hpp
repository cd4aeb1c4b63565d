#pragma once
// How far a training is, on stderr: on a terminal one line that is written over, elsewhere plain lines.

#include "cli/context.hpp"
#include "core/stopwatch.hpp"

#include <cstdint>
#include <optional>

namespace tfx {

struct ProgressState {
  std::uint64_t step = 0, steps = 0;
  double loss = 0;
  std::size_t tokens = 0;                         ///< of this step
  std::optional<double> accuracy = {}, chrf = {}; ///< the last that were measured
  std::optional<double> bits_per_byte = {};       ///< of a text
  std::optional<double> counted = {};             ///< those of the best model that counts
};

class Progress {
public:
  enum class Display { bar, lines, none };

  /// A bar on a terminal, lines elsewhere; none where the learner wants quiet.
  Progress(const Context& context, Display display, std::uint64_t first_step);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  static Display display_for(bool quiet);

  /// After every step. The terminal is written to ten times a second at most.
  void show(const ProgressState& state);

  /// Since the start, measuring and saving included.
  double seconds() const { return watch_.seconds(); }

private:
  void write_bar(const ProgressState& state);
  void write_line(const ProgressState& state);
  std::string rates(const ProgressState& state) const;

  const Context& context_;
  Display display_;
  std::uint64_t first_step_;
  Stopwatch watch_;
  double last_shown_ = -1;
  std::size_t tokens_ = 0;
};

} // namespace tfx
