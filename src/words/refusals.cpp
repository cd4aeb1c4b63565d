#include "words/refusals.hpp"

#include "core/resource.hpp"
#include "words/in_words.hpp"

namespace tfx {

std::string in_learners_language(const Message& message) {
  return language() == Language::en ? message.in_english() : in_chinese(message);
}

std::string in_chinese(const Message& message) {
  static const Words chinese = Words::parse(resource("src/words/refusals.zh.md"));
  return message.worded([](const std::string& sentence) { return chinese.find(sentence); });
}

} // namespace tfx
