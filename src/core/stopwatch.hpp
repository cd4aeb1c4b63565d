#pragma once
// Wall-clock time of one computation, and what of it went into carrying: standing between NumPy's order of
// bytes and Armadillo's has a price. What times a formula takes it off, or a small product of a wide matrix
// would seem to take ten times as long as it does.

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace tfx {

class Stopwatch {
public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

enum class Pass { forward, backward };

/// Seconds of one part, over all that was marked so far.
struct PartTime {
  std::string part;
  double forward = 0, backward = 0;
};

/// Where the time of a training step goes: what is done since the last mark belongs to the part that is
/// named.
class ModuleTimes {
public:
  /// What is done from here on belongs to the next mark.
  void start() { watch_ = {}; }

  /// What was done since the last mark was this part's.
  void mark(const std::string& part, Pass pass = Pass::forward);

  /// In the order in which they were first marked.
  const std::vector<PartTime>& parts() const { return parts_; }

private:
  Stopwatch watch_;
  std::vector<PartTime> parts_;
};

/// The middle of the times, of an even number the higher of both: one run that was disturbed does not move
/// it. Of one time at least.
double median_of(std::vector<double> seconds);

/// Several runs of one computation, in seconds. Quartiles lie between two runs in proportion, as
/// np.percentile's.
struct Timing {
  double median = 0, q1 = 0, q3 = 0, mean = 0;
  std::size_t runs = 0;

  /// Whether the quartiles differ by more than two: something else wanted the processor too.
  bool unsteady() const { return q3 > 2 * q1; }

  /// One after the other, each the fewer times of both.
  Timing& operator+=(const Timing& next);
};

/// Of at least one run.
Timing timing_of(std::vector<double> seconds);

/// Seconds that this thread has spent carrying matrices from tensors to formulas and back. Only differences
/// mean anything.
double carrying_seconds();

/// Carries from here to the end of its scope.
class Carrying {
public:
  Carrying() = default;
  ~Carrying();
  Carrying(const Carrying&) = delete;
  Carrying& operator=(const Carrying&) = delete;

private:
  Stopwatch watch_;
};

} // namespace tfx
