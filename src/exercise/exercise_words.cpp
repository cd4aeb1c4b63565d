#include "exercise/exercise_words.hpp"

#include "exercise/own_exercise.hpp"
#include "words/in_words.hpp"

namespace tfx {

namespace {

const Words& own_words(const Exercise& exercise) {
  return language() == Language::zh ? exercise.own->zh : exercise.own->en;
}

} // namespace

const Lesson* lesson_of(const Exercise& exercise) {
  return exercise.own ? nullptr : lesson_named(exercise.name);
}

std::string heading_of(const Exercise& exercise) {
  if (exercise.own) return *own_words(exercise).find("title");
  const Lesson& lesson = *lesson_of(exercise);
  return in_words("exercise.title", {{"number", std::to_string(lesson.number)},
                                     {"name", exercise.name},
                                     {"title", title_in(lesson.folder)}});
}

std::string task_of(const Exercise& exercise) {
  return *(exercise.own ? own_words(exercise) : words_in(lesson_of(exercise)->folder)).find("exercise");
}

std::string case_name(const Exercise& exercise, const std::string& id) {
  if (!exercise.own) return in_words("grade.case." + id);
  const std::string* name = own_words(exercise).find("case." + id);
  return name ? *name : id;
}

} // namespace tfx
