// The file of a learner's progress.
#include "course/progress.hpp"
#include "fuzz.hpp"

namespace tfx {

// Of the course only the file's lines are wanted here, not what the lessons compute.
const std::vector<Lesson>& lessons() {
  static const std::vector<Lesson> none;
  return none;
}

const Lesson* lesson_named(std::string_view) {
  return nullptr;
}

bool offers(const Lesson&, std::string_view) {
  return false;
}

namespace fuzz {

void one_input(std::string_view bytes) {
  const auto progress = read_or_refuse("", [&] { return CourseProgress::parse(bytes); });
  if (!progress) return;
  for (const CourseProgress::Entry& entry : progress->entries()) {
    require(progress->mark(entry.lesson) == entry.mark, "a lesson stands there once");
    require(entry.mark != Mark::none, "a lesson that stands there was seen");
  }
  const CourseProgress again = CourseProgress::parse(progress->text("kept\nby a test"));
  require(again.entries() == progress->entries(), "the lessons come back in order");
}

} // namespace fuzz

} // namespace tfx
