// Every word of the field has its entry in the glossary: those of the tutorials, by a list, and those that
// the pages print, as every word there is either everyday English or a term's.

#include "core/resource.hpp"
#include "course/terms.hpp"
#include "io/file.hpp"
#include "support/catch.hpp"
#include "support/command_line.hpp"

#include <functional>
#include <set>
#include <sstream>

namespace tfx {

namespace {

using WordSet = std::set<std::string>;

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Words of three and more Latin letters, in small ones.
WordSet latin_words(std::string_view text) {
  WordSet words;
  std::string word;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && is_letter(text[i])) {
      word += static_cast<char>(text[i] | 0x20);
    } else {
      if (word.size() > 2) words.insert(word);
      word.clear();
    }
  }
  return words;
}

/// The word, and what it may be a form of: "normalized" of "normalize" and of "normaliz".
std::vector<std::string> forms_of(const std::string& word) {
  static const std::vector<std::pair<std::string, std::vector<std::string>>> endings{
      {"s", {""}},        {"es", {""}},       {"ies", {"y"}},     {"ed", {"", "e"}},   {"ied", {"y"}},
      {"ing", {"", "e"}}, {"ly", {"", "le"}}, {"ily", {"y"}},     {"er", {"", "e"}},   {"ier", {"y"}},
      {"est", {"", "e"}}, {"iest", {"y"}},    {"ion", {"", "e"}}, {"ation", {"", "e"}}};
  std::vector<std::string> forms{word};
  for (const auto& [ending, instead] : endings) {
    if (!word.ends_with(ending) || word.size() < ending.size() + 2) continue;
    const std::string stem = word.substr(0, word.size() - ending.size());
    for (const std::string& last : instead) forms.push_back(stem + last);
    const std::size_t n = stem.size();
    if (n > 2 && stem[n - 1] == stem[n - 2]) forms.push_back(stem.substr(0, n - 1)); // "stopped"
  }
  return forms;
}

/// Words with all that they may be forms of.
class Known {
public:
  void add(std::string_view text) {
    for (const std::string& word : latin_words(text)) forms_.merge(set_of(word));
  }
  bool has(const std::string& word) const {
    return std::ranges::any_of(forms_of(word),
                               [&](const std::string& form) { return forms_.contains(form); });
  }

private:
  static WordSet set_of(const std::string& word) {
    const auto forms = forms_of(word);
    return {forms.begin(), forms.end()};
  }
  WordSet forms_;
};

/// Everything that `tfx terms` finds by its whole name.
std::vector<std::string> all_names() {
  const Glossary glossary;
  std::vector<std::string> names;
  for (const FieldTerm& term : terms()) {
    for (const Language language : {Language::en, Language::zh})
      for (const std::string& name : glossary.entry(term, language).names) names.push_back(name);
    for (const TutorialWords& words : term.elsewhere) {
      std::istringstream list(words.words);
      for (std::string name; std::getline(list >> std::ws, name, ',');)
        names.push_back(name.substr(0, name.find(" (")));
    }
  }
  return names;
}

/// Lines of a list without its comments.
std::vector<std::string> lines_of(const std::string& file) {
  std::istringstream text(read_file(std::string(TFX_SOURCE_DIR "/tests/course/") + file));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);)
    if (!line.empty() && line[0] != '#') lines.push_back(line);
  return lines;
}

/// What a file of words says, without its keys and without the names of facts.
std::string sentences_of(const std::string& file) {
  std::istringstream lines{std::string(resource(file))};
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("## ")) continue;
    bool in_braces = false;
    for (const char c : line) {
      in_braces = c == '{' || (in_braces && c != '}');
      text += in_braces ? ' ' : c;
    }
    text += '\n';
  }
  return text;
}

/// The words that are neither everyday ones nor a term's.
WordSet unexplained(const std::string& text) {
  static const Known known = [] {
    Known all;
    for (const std::string& line : lines_of("everyday_words.txt")) all.add(line);
    for (const std::string& name : all_names()) all.add(name);
    return all;
  }();
  WordSet found;
  for (const std::string& word : latin_words(text))
    if (!known.has(word)) found.insert(word);
  return found;
}

std::string folded_name(std::string name) {
  for (char& c : name) c = c == '-' || c == '_' ? ' ' : is_letter(c) ? static_cast<char>(c | 0x20) : c;
  return name;
}

} // namespace

TEST_CASE("every word of the field in the tutorials is a name of a term", "[course][terms]") {
  const Glossary glossary;
  WordSet names;
  for (const std::string& name : all_names()) names.insert(folded_name(name));
  std::size_t words = 0;
  for (const std::string& line : lines_of("field_words.txt")) {
    std::istringstream list(line.substr(line.find(": ") + 1));
    for (std::string word; std::getline(list >> std::ws, word, ','); ++words) {
      CAPTURE(word);
      CHECK_FALSE(glossary.find(word).empty());
      const std::string name = folded_name(word);
      CHECK((names.contains(name) || names.contains(name + "s") ||
             (name.ends_with("s") && names.contains(name.substr(0, name.size() - 1)))));
    }
  }
  CHECK(words > 200);
}

TEST_CASE("the words of lessons are everyday ones or have an entry", "[course][terms]") {
  CHECK(unexplained("The perceptrons of a softmax") == WordSet{"perceptrons"});
  std::vector<std::string> folders{"lessons", "src/course", "src/course/tutorials"};
  for (const Lesson& lesson : lessons()) folders.push_back(lesson.folder);
  for (const std::string& folder : folders)
    for (const char* file : {"/en.md", "/zh.md"}) {
      CAPTURE(folder, file);
      CHECK(unexplained(sentences_of(folder + file)) == WordSet{});
    }
}

TEST_CASE("so are those that a page prints besides: formulas, labels, notes", "[course][terms]") {
  for (const Lesson& lesson : page_lessons())
    for (const char* language : {"en", "zh"}) {
      std::vector<std::string> arguments = words_of(lesson.typed);
      arguments.insert(arguments.begin(), {"--lang", language});
      CAPTURE(lesson.typed, language);
      CHECK(unexplained(run_command_line(arguments).out) == WordSet{});
    }
}

TEST_CASE("no term is taken for an everyday word", "[course][terms]") {
  WordSet everyday;
  for (const std::string& line : lines_of("everyday_words.txt")) everyday.merge(latin_words(line));
  const Glossary glossary;
  for (const FieldTerm& term : terms())
    for (const std::string& name : glossary.entry(term, Language::en).names) {
      CAPTURE(name);
      CHECK_FALSE(everyday.contains(folded_name(name)));
    }
}

} // namespace tfx
