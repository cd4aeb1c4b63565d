#pragma once
// The only exception family of tfx. A message says what is wrong and where (file and byte, option, or both
// shapes); the hint says what to do. One catch in cli/app.cpp turns it into text on stderr, in the learner's
// language, and an exit status.

#include "core/message.hpp"

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
  Error(ErrorKind kind, Message message, Message hint = {})
      : std::runtime_error(message.in_english()),
        kind_(kind),
        message_(std::move(message)),
        hint_(std::move(hint)) {}

  ErrorKind kind() const { return kind_; }
  const Message& message() const { return message_; }
  const Message& hint() const { return hint_; }

private:
  ErrorKind kind_;
  Message message_, hint_;
};

/// A defect of tfx, said in English to whoever mends it.
inline Error defect(std::string what) {
  return Error(ErrorKind::internal, Message::given(std::move(what)));
}

/// The command line is wrong.
inline Error usage(Message message, Message hint = {}) {
  return Error(ErrorKind::usage, std::move(message), std::move(hint));
}

} // namespace tfx
