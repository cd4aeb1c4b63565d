#pragma once
// SIGINT, SIGTERM and SIGHUP as a wish that a long run reads between two steps. A second SIGINT or SIGTERM
// ends the process at once, as it would without us; SIGHUP only ever asks, and not where it is ignored
// (nohup).

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
