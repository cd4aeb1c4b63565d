#include "core/error.hpp"

#include <algorithm>
#include <cstring>

namespace tfx {

std::optional<std::string>
fill_in(const std::string& text,
        const std::function<std::optional<std::string>(const std::string&)>& value_of) {
  std::string result;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t open = text.find('{', start);
    const std::size_t close = open == std::string::npos ? open : text.find('}', open);
    if (close == std::string::npos) return result + text.substr(start);
    const auto value = value_of(text.substr(open + 1, close - open - 1));
    if (!value) return std::nullopt;
    result += text.substr(start, open - start) + *value;
    start = close + 1;
  }
  return result;
}

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
  const auto value_of = [&](const std::string& name) {
    const auto named = std::ranges::find(values_, name, &Named::name);
    return std::optional(named == values_.end() ? "{" + name + "}" : named->value.worded(translated));
  };
  return *fill_in(text, value_of);
}

Message said(const char* sentence, std::initializer_list<Named> values) {
  return {sentence, values};
}

Message why_not(int error_number) {
  return {std::strerror(error_number), {}};
}

} // namespace tfx
