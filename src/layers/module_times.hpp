#pragma once
// Where the time of a training step goes: what is done since the last mark belongs to the part that is named.

#include "core/stopwatch.hpp"

#include <string>
#include <vector>

namespace tfx {

enum class Pass { forward, backward };

/// Seconds of one part, over all steps marked so far.
struct PartTime {
  std::string part;
  double forward = 0, backward = 0;
};

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

} // namespace tfx
