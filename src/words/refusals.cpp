#include "words/refusals.hpp"

#include "core/resource.hpp"
#include "words/in_words.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace tfx {

namespace {

/// An English sentence: its words, and the names of what stands between them.
class Pattern {
public:
  Pattern(std::string_view english, std::string chinese) : chinese_(std::move(chinese)) {
    for (;;) {
      const std::size_t open = english.find('{'), close = english.find('}', std::min(open, english.size()));
      if (close == std::string_view::npos) break;
      words_.emplace_back(english.substr(0, open));
      names_.emplace_back(english.substr(open + 1, close - open - 1));
      english.remove_prefix(close + 1);
    }
    words_.emplace_back(english);
  }

  std::size_t letters() const {
    std::size_t all = 0;
    for (const std::string& part : words_) all += part.size();
    return all;
  }

  /// What stands for the names; nothing where the text is another sentence.
  std::optional<std::map<std::string, std::string>> values_in(std::string_view text) const {
    std::map<std::string, std::string> values;
    if (!text.starts_with(words_[0])) return std::nullopt;
    if (!match(text, words_[0].size(), 0, values)) return std::nullopt;
    return values;
  }

  const std::string& chinese() const { return chinese_; }

private:
  /// `at`: behind the words before name `i`. A value is as short as it can be, and not empty.
  bool match(std::string_view text, std::size_t at, std::size_t i,
             std::map<std::string, std::string>& values) const {
    if (i == names_.size()) return at == text.size();
    const std::string& next = words_[i + 1];
    const bool is_last = i + 1 == names_.size();
    if (is_last && next.size() > text.size()) return false;
    std::size_t end = is_last ? text.size() - next.size() : text.find(next, at + 1);
    for (; end != std::string_view::npos && end > at; end = is_last ? end : text.find(next, end + 1)) {
      values[names_[i]] = text.substr(at, end - at);
      if (text.substr(end).starts_with(next) && match(text, end + next.size(), i + 1, values)) return true;
      if (is_last) break;
    }
    return false;
  }

  std::vector<std::string> words_, names_;
  std::string chinese_;
};

/// Sentences with more words of their own come first: they say more.
const std::vector<Pattern>& patterns() {
  static const std::vector<Pattern> all = [] {
    std::vector<Pattern> list;
    const Words words = Words::parse(resource("src/words/refusals.zh.md"));
    for (const auto& [english, chinese] : words.sections()) list.emplace_back(english, chinese);
    std::ranges::stable_sort(list, std::ranges::greater(), &Pattern::letters);
    return list;
  }();
  return all;
}

/// A text in Chinese, and how many letters of its English were known.
struct Translation {
  std::string text;
  std::size_t letters = 0;
};

Translation translated(const std::string& text);

/// The text as one sentence, whose values may be sentences or phrases themselves.
std::optional<Translation> as_sentence(std::string_view text) {
  for (const Pattern& pattern : patterns()) {
    const auto values = pattern.values_in(text);
    if (!values) continue;
    Translation whole{"", pattern.letters()};
    const auto said = fill_in(pattern.chinese(), [&](const std::string& name) -> std::optional<std::string> {
      const auto value = values->find(name);
      if (value == values->end()) return std::nullopt;
      const Translation part = translated(value->second);
      whole.letters += part.letters;
      return part.text;
    });
    if (!said) continue;
    whole.text = *said;
    return whole;
  }
  return std::nullopt;
}

/// The text, or a place and what stands behind its colon: whatever leaves least in English.
Translation translated(const std::string& text) {
  constexpr int most_places = 6;
  Translation best{text, 0};
  if (auto whole = as_sentence(text)) best = std::move(*whole);
  std::size_t colon = 0;
  for (int i = 0; i < most_places && (colon = text.find(": ", colon)) != std::string::npos; ++i, ++colon)
    if (const auto rest = as_sentence(std::string_view(text).substr(colon + 2))) {
      const Translation place = translated(text.substr(0, colon));
      if (place.letters + rest->letters >= best.letters)
        best = {place.text + "：" + rest->text, place.letters + rest->letters};
    }
  return best;
}

} // namespace

std::string in_learners_language(const std::string& english) {
  return language() == Language::en ? english : in_chinese(english);
}

std::string in_chinese(const std::string& english) {
  constexpr std::size_t longest = 1024; // a hostile name may be longer than any sentence
  return english.size() > longest ? english : translated(english).text;
}

} // namespace tfx
