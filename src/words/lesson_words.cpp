#include "words/lesson_words.hpp"

#include "core/resource.hpp"

namespace tfx {

namespace {

std::string_view file_in(const std::string& folder, Language language) {
  return resource(folder + (language == Language::zh ? "/zh.md" : "/en.md"));
}

} // namespace

Words words_in(const std::string& folder, Language language) {
  Words words = Words::parse(file_in(folder, language));
  words.add(common_words(language));
  return words;
}

std::string title_in(const std::string& folder, Language language) {
  return section_of(file_in(folder, language), "title").value_or(folder);
}

Words common_words(Language language) {
  return Words::parse(file_in("lessons", language));
}

Words course_words(Language language) {
  return Words::parse(file_in("src/course", language));
}

} // namespace tfx
