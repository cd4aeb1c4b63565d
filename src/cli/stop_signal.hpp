#pragma once
// SIGINT and SIGTERM as a wish that a long run reads between two steps. A second one ends the process at
// once, as it would without us.

namespace tfx {

class StopSignals {
public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// The signal that has come, 0 if none.
  int caught() const;
};

} // namespace tfx
