#pragma once
// The program that a learner starts from, made of an exercise's row, the words of its lesson and a frame for
// each language (data/exercise): the function's signature and shapes, what must hold, a hole, and at the
// bottom what reads the inputs and writes the results. Its words, in the learner's language, are those of the
// lesson, or a teacher's own.

#include "exercise/exercise.hpp"
#include "lessons/catalogue.hpp"

#include <optional>
#include <set>
#include <string>

namespace tfx {

/// The lesson that it is of, or nullptr: a teacher's own is of none.
const Lesson* lesson_of(const Exercise& exercise);

/// "Lesson 4, softmax: …"; of an own one its title.
std::string heading_of(const Exercise& exercise);

/// What must hold.
std::string task_of(const Exercise& exercise, Language language = tfx::language());

enum class ProgramLanguage { numpy, torch, cpp };

/// What no name in a program may be: the words of Python, or of C++ and main.
const std::set<std::string>& keywords_of(ProgramLanguage language);

struct ProgramFile {
  std::string name, text;
};

/// The program, softmax.py or softmax.cpp, and behind it the header that one in C++ includes. Its comments
/// are in the learner's language.
std::vector<ProgramFile> skeleton(const Exercise& exercise, ProgramLanguage language);

/// Which exercise a program says it is, in one of its first lines; nothing where it says none.
std::optional<std::string> exercise_of_program(std::string_view text);

/// "softmax(scores, d_k) → weights".
std::string signature_of(const Exercise& exercise);

} // namespace tfx
