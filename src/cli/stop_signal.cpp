#include "cli/stop_signal.hpp"

#include <csignal>
#include <initializer_list>

namespace tfx {

namespace {

volatile std::sig_atomic_t caught_signal = 0;

void handle_both(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  for (const int number : {SIGINT, SIGTERM}) sigaction(number, &action, nullptr);
}

void catch_signal(int number) {
  caught_signal = number;
  handle_both(SIG_DFL); // whichever of the two comes second
}

} // namespace

StopSignals::StopSignals() {
  caught_signal = 0;
  handle_both(catch_signal);
}

StopSignals::~StopSignals() {
  handle_both(SIG_DFL);
}

int StopSignals::caught() const {
  return caught_signal;
}

} // namespace tfx
