#pragma once
// The only exception family of tfx. A message says what is wrong and where (file and byte, option, or both
// shapes); the hint says what to do. One catch in cli/app.cpp turns it into text on stderr and an exit
// status.

#include <stdexcept>
#include <string>
#include <utility>

namespace tfx {

/// The value of each kind is the exit status of the program (sysexits.h where it has one).
enum class ErrorKind {
  difference = 1,    ///< a check failed or a difference was found
  usage = 2,         ///< the command line is wrong
  bad_data = 65,     ///< a file's or an input's content is wrong
  no_input = 66,     ///< an input file does not exist or cannot be opened
  internal = 70,     ///< a defect of tfx
  no_memory = 71,    ///< the work does not fit in memory
  cannot_write = 73, ///< an output file cannot be created
  io = 74            ///< reading or writing failed half-way
};

class Error : public std::runtime_error {
public:
  Error(ErrorKind kind, const std::string& message, std::string hint = {})
      : std::runtime_error(message), kind_(kind), hint_(std::move(hint)) {}

  ErrorKind kind() const { return kind_; }
  const std::string& hint() const { return hint_; }

private:
  ErrorKind kind_;
  std::string hint_;
};

/// The command line is wrong.
inline Error usage(const std::string& message, std::string hint = {}) {
  return Error(ErrorKind::usage, message, std::move(hint));
}

} // namespace tfx
