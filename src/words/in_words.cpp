#include "words/in_words.hpp"

#include "core/resource.hpp"

namespace tfx {

namespace {

Language spoken = Language::en;

const Words& all_words() {
  if (spoken == Language::zh) {
    static const Words chinese = Words::parse(resource("src/words/zh.md"));
    return chinese;
  }
  static const Words english = Words::parse(resource("src/words/en.md"));
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
  if (!found) throw Error(ErrorKind::internal, "there are no words for " + key);
  return *found;
}

std::string in_words(const std::string& key, const std::map<std::string, std::string>& values) {
  const auto filled = fill_in(in_words(key), [&](const std::string& name) -> std::optional<std::string> {
    const auto value = values.find(name);
    return value == values.end() ? std::nullopt : std::optional(value->second);
  });
  if (!filled) throw Error(ErrorKind::internal, "the words of " + key + " lack a value");
  return *filled;
}

Error usage_error(const std::string& key, const std::map<std::string, std::string>& values) {
  const std::string whole = "usage." + key, hint = whole + ".hint";
  return Error(ErrorKind::usage, in_words(whole, values), find_words(hint) ? in_words(hint, values) : "");
}

std::string suggestion(const std::optional<std::string>& near) {
  if (!near) return "";
  return fill_in(in_words("usage.near"), [&](const std::string&) { return near; }).value_or("");
}

} // namespace tfx
