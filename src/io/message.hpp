#pragma once
// What a reader says about a file: text from outside made fit for a message, and the refusal.

#include "core/message.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace tfx {

/// `text` fit for a message: control characters, those that nobody sees and bytes that are not UTF-8 become
/// \n, \t, \x1b, \u200b …
std::string printable(std::string_view text);

/// The same between quotes, cut between two characters after `max_bytes` bytes: "encoder.layers.0…".
std::string in_quotes(std::string_view text, std::size_t max_bytes = 60);

/// What a message calls a file: its name made printable, "standard input", or one file in another.
class FileName : public Message {
public:
  FileName(const std::string& name);
  FileName(const char* name) : FileName(std::string(name)) {}
  explicit FileName(Message name) : Message(std::move(name)) {}
};

/// Throws Error(bad_data) "FILE: WHAT".
[[noreturn]] void refuse_file(const FileName& file, const Message& what, const Message& hint);

} // namespace tfx
