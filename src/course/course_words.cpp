#include "course/course_words.hpp"

#include "core/resource.hpp"

namespace tfx {

Words course_words(Language language) {
  return Words::parse(resource(language == Language::zh ? "src/course/zh.md" : "src/course/en.md"));
}

} // namespace tfx
