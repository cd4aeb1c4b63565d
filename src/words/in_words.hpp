#pragma once
// What a learner reads, in the language that the learner reads: help, refusals and notes of src/words, the
// words of each lesson, which stand in its folder, and those of the course. Refusals of what stands below the
// words, such as readers of files and the engine, are said in it too: src/words/refusals.zh.md has the
// Chinese under each English sentence.

#include "core/error.hpp"
#include "text/words.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tfx {

enum class Language { en, zh };

/// One for the whole process: English, unless set_language has said otherwise.
Language language();

/// Decided once, before anything is said and before threads start.
void set_language(Language language);

/// The words of the key. Throws Error(internal) where there are none.
const std::string& in_words(const std::string& key);
/// The same with every {name} replaced by values["name"].
std::string in_words(const std::string& key, const std::map<std::string, std::string>& values);

/// The words of the key, or nullptr.
const std::string* find_words(const std::string& key);

/// Error(kind) with the words KEY and the hint KEY.hint, where there is one; {name} is values["name"].
Error error_in_words(ErrorKind kind, const std::string& key,
                     const std::map<std::string, std::string>& values);
/// Error(usage) with the words usage.KEY and usage.KEY.hint.
Error usage_error(const std::string& key, const std::map<std::string, std::string>& values);
/// Error(bad_data) with the words data.KEY and data.KEY.hint.
Error data_error(const std::string& key, const std::map<std::string, std::string>& values);

/// Names in a sentence: "a, b, c"; in Chinese "a、b、c".
std::string listed(const std::vector<std::string>& names, Language language = tfx::language());
/// Names of which one will do: "a, b or c"; in Chinese "a、b 或 c".
std::string alternatives(const std::vector<std::string>& names);

/// "; did you mean scores?" as a value for usage_error; empty where there is no name to suggest.
std::string suggestion(const std::optional<std::string>& near);

/// The words of a folder, en.md or zh.md there.
Words words_alone(const std::string& folder, Language language = tfx::language());

/// The words of a lesson's folder, with those that all lessons share.
Words words_in(const std::string& folder, Language language = tfx::language());

/// The same, and what a page quotes of other folders: of a lesson the words of its mistakes, "mistake.ID" and
/// "mistake.LESSON.more", what it says below its own; of a command all.
Words words_quoting(const std::string& folder, const std::set<std::string>& others,
                    Language language = tfx::language());

/// What the map calls the lesson of that folder.
std::string title_in(const std::string& folder, Language language = tfx::language());

/// "lesson 3"; "appendix" where it has no number.
std::string in_course(std::optional<int> number, const Words& common);

/// The words that all lessons share.
Words common_words(Language language = tfx::language());

/// Questions, hints, diagnoses and progress: src/course/en.md and zh.md.
Words course_words(Language language = tfx::language());

std::string in_learners_language(const Message& message);

/// In Chinese, whatever the learner's language: for pages that hold both.
std::string in_chinese(const Message& message);

} // namespace tfx
