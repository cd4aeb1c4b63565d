#pragma once
// The error that an action ends with, for tests that refuse files.

#include "core/error.hpp"
#include "support/catch.hpp"

#include <functional>
#include <string>

namespace tfx {

/// The error an action throws; of kind internal where it throws none.
inline Error error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  return defect("nothing was thrown");
}

/// Checks the error that an action throws: its kind, and a part of its message.
inline Error check_error(ErrorKind kind, const std::string& part, const std::function<void()>& action) {
  Error error = error_of(action);
  INFO("wanted: " << part << "\nsaid:   " << error.what());
  CHECK(error.kind() == kind);
  CHECK(std::string(error.what()).find(part) != std::string::npos);
  return error;
}

} // namespace tfx
