#pragma once
// The field's words: each with its names and meaning in both languages, the lesson that teaches it, and what
// the tutorials call it. Names and meanings stand in src/course/terms/{en,zh}.md: in each section a line of
// names ("MAC / multiply-accumulate", the usual one first), then the meaning.

#include "lessons/catalogue.hpp"
#include "words/in_words.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tfx {

/// What a tutorial says instead, or calls it in its code: each between commas is found by `tfx terms` too.
struct TutorialWords {
  std::string tutorial, words;
};

struct FieldTerm {
  std::string id, lesson; ///< of the lesson its command; empty where a tutorial says it and no lesson
  std::vector<TutorialWords> elsewhere = {};
};

const std::vector<FieldTerm>& terms();

class Glossary {
public:
  struct Entry {
    std::vector<std::string> names;
    std::string meaning;
  };

  Glossary();

  const Entry& entry(const FieldTerm& term, Language language) const;

  /// Those that are called so, in English, Chinese or a tutorial; else those whose name begins so; else those
  /// of which a word does. Upper and lower case, blanks and hyphens are the same.
  std::vector<const FieldTerm*> find(std::string_view name) const;

  /// The name that was perhaps meant.
  std::optional<std::string> near(const std::string& name) const;

private:
  struct Book {
    const FieldTerm* term;
    Entry english, chinese;
    std::vector<std::string> called; ///< all of its names, folded
  };
  std::vector<Book> books_;
};

} // namespace tfx
