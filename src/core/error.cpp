#include "core/error.hpp"

#include <algorithm>
#include <cstring>

namespace tfx {

Message Message::given(std::string text) {
  Message message;
  message.sentence_ = std::move(text), message.is_given_ = true;
  return message;
}

Message::Message(std::string sentence, std::vector<Named> values)
    : sentence_(std::move(sentence)), values_(std::move(values)) {}

std::string Message::in_english() const {
  return worded([](const std::string&) { return nullptr; });
}

std::string Message::worded(const std::function<const std::string*(const std::string&)>& translated) const {
  if (is_given_) return sentence_;
  const std::string* other = translated(sentence_);
  const std::string& text = other ? *other : sentence_;
  std::string filled;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t open = std::min(text.find('{', at), text.size()), close = text.find('}', open);
    filled.append(text, at, open - at);
    if (close == std::string::npos) return filled.append(text, open);
    const std::string name = text.substr(open + 1, close - open - 1);
    const auto named = std::ranges::find(values_, name, &Named::name);
    filled += named == values_.end() ? text.substr(open, close + 1 - open) : named->value.worded(translated);
    at = close + 1;
  }
  return filled;
}

Message said(const char* sentence, std::initializer_list<Named> values) {
  return {sentence, values};
}

Message why_not(int error_number) {
  return {std::strerror(error_number), {}};
}

} // namespace tfx
