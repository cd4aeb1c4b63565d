#include "course/catalog.hpp"

#include "core/resource.hpp"

namespace tfx {

namespace {
std::string file_in(const std::string& folder, Language language) {
  return folder + (language == Language::zh ? "/zh.md" : "/en.md");
}
} // namespace

Words common_words(Language language) {
  return Words::parse(resource(file_in("lessons", language)));
}

Words words_of(const Lesson& lesson, Language language) {
  Words words = Words::parse(resource(file_in(lesson.folder, language)));
  words.add(common_words(language));
  return words;
}

std::string title_of(const Lesson& lesson, Language language) {
  return section_of(resource(file_in(lesson.folder, language)), "title").value_or(lesson.command);
}

std::string command_after(const Lesson& lesson) {
  for (const Lesson& other : lessons())
    if (other.number == lesson.number + 1) return other.command;
  return {};
}

} // namespace tfx
