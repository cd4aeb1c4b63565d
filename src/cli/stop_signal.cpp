#include "cli/stop_signal.hpp"

#include <csignal>
#include <initializer_list>

namespace tfx {

namespace {

volatile std::sig_atomic_t caught_signal = 0;

void catch_signal(int number) {
  caught_signal = number;
}

void handle(int number, void (*handler)(int), int flags) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigaction(number, &action, nullptr);
}

} // namespace

StopSignals::StopSignals() {
  caught_signal = 0;
  for (const int number : {SIGINT, SIGTERM}) handle(number, catch_signal, SA_RESETHAND | SA_RESTART);
}

StopSignals::~StopSignals() {
  for (const int number : {SIGINT, SIGTERM}) handle(number, SIG_DFL, 0);
}

int StopSignals::caught() const {
  return caught_signal;
}

} // namespace tfx
