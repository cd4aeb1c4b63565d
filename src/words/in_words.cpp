#include "words/in_words.hpp"

#include "core/resource.hpp"
#include "text/names.hpp"

namespace tfx {

namespace {

Language spoken = Language::en;

std::string_view file_in(const std::string& folder, Language language) {
  return resource(folder + (language == Language::zh ? "/zh.md" : "/en.md"));
}

const Words& all_words() {
  if (spoken == Language::zh) {
    static const Words chinese = Words::parse(file_in("src/words", spoken));
    return chinese;
  }
  static const Words english = Words::parse(file_in("src/words", spoken));
  return english;
}

} // namespace

Language language() {
  return spoken;
}

void set_language(Language language) {
  spoken = language;
}

const std::string* find_words(const std::string& key) {
  return all_words().find(key);
}

const std::string& in_words(const std::string& key) {
  const std::string* found = find_words(key);
  if (!found) throw defect("there are no words for " + key);
  return *found;
}

std::string in_words(const std::string& key, const std::map<std::string, std::string>& values) {
  const auto filled = fill_in(in_words(key), [&](const std::string& name) -> std::optional<std::string> {
    const auto value = values.find(name);
    return value == values.end() ? std::nullopt : std::optional(value->second);
  });
  if (!filled) throw defect("the words of " + key + " lack a value");
  return *filled;
}

Error error_in_words(ErrorKind kind, const std::string& key,
                     const std::map<std::string, std::string>& values) {
  const std::string hint = key + ".hint";
  return Error(kind, Message::given(in_words(key, values)),
               find_words(hint) ? Message::given(in_words(hint, values)) : Message());
}

Error usage_error(const std::string& key, const std::map<std::string, std::string>& values) {
  return error_in_words(ErrorKind::usage, "usage." + key, values);
}

Error data_error(const std::string& key, const std::map<std::string, std::string>& values) {
  return error_in_words(ErrorKind::bad_data, "data." + key, values);
}

std::string listed(const std::vector<std::string>& names, Language language) {
  return join(names, language == Language::zh ? "、" : ", ");
}

std::string alternatives(const std::vector<std::string>& names) {
  if (names.size() < 2) return listed(names);
  return listed({names.begin(), names.end() - 1}) + (spoken == Language::zh ? " 或 " : " or ") + names.back();
}

std::string suggestion(const std::optional<std::string>& near) {
  if (!near) return "";
  return fill_in(in_words("usage.near"), [&](const std::string&) { return near; }).value_or("");
}

Words words_alone(const std::string& folder, Language language) {
  return Words::parse(file_in(folder, language));
}

Words words_in(const std::string& folder, Language language) {
  Words words = words_alone(folder, language);
  words.add(common_words(language));
  return words;
}

Words words_quoting(const std::string& folder, const std::set<std::string>& others, Language language) {
  Words words = words_in(folder, language);
  for (const std::string& other : others)
    words.add(words_alone(other, language), other.starts_with("lessons/") ? "mistake." : "");
  return words;
}

std::string title_in(const std::string& folder, Language language) {
  return section_of(file_in(folder, language), "title").value_or(folder);
}

std::string in_course(std::optional<int> number, const Words& common) {
  if (!number) return *common.find("ui.appendix");
  return *fill_in(*common.find("ui.lesson_of"),
                  [&](const std::string&) { return std::optional(std::to_string(*number)); });
}

Words common_words(Language language) {
  return words_alone("lessons", language);
}

Words course_words(Language language) {
  return words_alone("src/course", language);
}

std::string in_learners_language(const Message& message) {
  return language() == Language::en ? message.in_english() : in_chinese(message);
}

std::string in_chinese(const Message& message) {
  static const Words chinese = Words::parse(resource("src/words/refusals.zh.md"));
  return message.worded([](const std::string& sentence) { return chinese.find(sentence); });
}

} // namespace tfx
