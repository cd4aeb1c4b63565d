#pragma once
// What a refusal says, before it is said in a language: an English sentence whose {names} stand for what is
// so in this case. words/refusals says it as the learner reads. What stands for a name is a message itself,
// as in "cannot open {file}: {why}", or a text that stays as it was given: a name, a number, a cell.

#include <concepts>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

namespace tfx {

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

/// The message of an English sentence, which src/words/refusals.zh.md has in Chinese: tests/tools/messages.sh
/// finds every said("…") of the sources.
Message said(const char* sentence, std::initializer_list<Named> values = {});

/// Why the system refused: strerror(errno) as a message.
Message why_not(int error_number);

} // namespace tfx
