#pragma once
// The only exception family of tfx, and what an error says before it is said in a language: a Message is an
// English sentence whose {names} stand for what is so in this case, each a message itself, as in "cannot open
// {file}: {why}", or a text that stays as it was given. An Error's message says what is wrong and where (file
// and byte, option, or both shapes), and its hint says what to do. One catch in cli/app.cpp turns it into
// text on stderr, in the learner's language (words/in_words.hpp), and an exit status.

#include <concepts>
#include <functional>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace tfx {

/// `text` with every {name} replaced; nothing where a name has no value: a sentence about something that this
/// run does not have is left out.
std::optional<std::string>
fill_in(const std::string& text,
        const std::function<std::optional<std::string>(const std::string&)>& value_of);

struct Named;

class Message {
public:
  Message() = default;
  /// A text that is the same in every language.
  static Message given(std::string text);
  /// `sentence` is English; each of its {names} is one of `values`.
  Message(std::string sentence, std::vector<Named> values);

  bool empty() const { return sentence_.empty(); }
  std::string in_english() const;
  /// With `translated(sentence)` for each sentence; where that is nothing, the sentence stays in English.
  std::string worded(const std::function<const std::string*(const std::string&)>& translated) const;

private:
  std::string sentence_;
  bool is_given_ = false;
  std::vector<Named> values_;
};

/// What stands for a name of a message.
struct Named {
  Named(std::string name, Message message) : name(std::move(name)), value(std::move(message)) {}
  Named(std::string name, std::string given) : Named(std::move(name), Message::given(std::move(given))) {}
  template <std::integral N>
  Named(std::string name, N number) : Named(std::move(name), std::to_string(number)) {}

  std::string name;
  Message value;
};

/// The message of an English sentence, a literal, which src/words/refusals.zh.md has in Chinese:
/// tests/words/refusals_test.cpp finds every said("…") of the sources.
Message said(const char* sentence, std::initializer_list<Named> values = {});

/// Why the system refused: strerror(errno) as a message.
Message why_not(int error_number);

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
