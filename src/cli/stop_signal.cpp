#include "cli/stop_signal.hpp"

#include <csignal>
#include <initializer_list>

namespace tfx {

namespace {

volatile std::sig_atomic_t caught_signal = 0;

void handle(std::initializer_list<int> signals, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  for (const int number : signals) sigaction(number, &action, nullptr);
}

// A terminal that goes away says so more than once, through the shell too: that is no wish to end at once.
void catch_signal(int number) {
  caught_signal = number;
  handle({SIGHUP}, SIG_IGN);
  handle({SIGINT, SIGTERM}, SIG_DFL); // whichever of the two comes second
}

// As under nohup.
bool hang_up_is_ignored() {
  struct sigaction action {};
  return sigaction(SIGHUP, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

} // namespace

StopSignals::StopSignals() {
  caught_signal = 0;
  handle({SIGINT, SIGTERM}, catch_signal);
  if (!hang_up_is_ignored()) handle({SIGHUP}, catch_signal);
}

StopSignals::~StopSignals() {
  handle({SIGINT, SIGTERM}, SIG_DFL);
  if (!hang_up_is_ignored()) handle({SIGHUP}, SIG_DFL); // once one came, what is saved now is let be
}

int StopSignals::caught() const {
  return caught_signal;
}

} // namespace tfx
