#include "cli/lesson/both_words.hpp"

#include "core/resource.hpp"
#include "words/lesson_words.hpp"

namespace tfx {

namespace {

Words words_of(const std::string& folder, Language language, const char* of_document) {
  Words words = folder.empty() ? common_words(language) : words_in(folder, language);
  words.add(Words::parse(resource(of_document)));
  return words;
}

} // namespace

BothWords both_words(const std::string& folder) {
  return {words_of(folder, Language::en, "src/render/html/en.md"),
          words_of(folder, Language::zh, "src/render/html/zh.md")};
}

} // namespace tfx
