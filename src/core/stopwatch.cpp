#include "core/stopwatch.hpp"

namespace tfx {

namespace {

thread_local double carried_seconds = 0;

} // namespace

double carrying_seconds() {
  return carried_seconds;
}

Carrying::~Carrying() {
  carried_seconds += watch_.seconds();
}

} // namespace tfx
