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

std::optional<std::string> translated(const std::string& text);

/// A value that is a sentence or a phrase itself is translated too.
std::string translated_value(const std::string& value) {
  return translated(value).value_or(value);
}

/// A sentence that is known, and what it says of this case.
struct Known {
  const Pattern* pattern = nullptr;
  std::map<std::string, std::string> values;
};

Known known(std::string_view text) {
  for (const Pattern& pattern : patterns())
    if (auto values = pattern.values_in(text)) return {&pattern, std::move(*values)};
  return {};
}

std::optional<std::string> translated(const std::string& text) {
  // The text, or what stands behind a place; of several the sentence that has most words of its own.
  Known best = known(text);
  std::size_t start = 0;
  for (std::size_t colon = 0; (colon = text.find(": ", colon)) != std::string::npos; ++colon)
    if (Known other = known(std::string_view(text).substr(colon + 2));
        other.pattern && (!best.pattern || other.pattern->letters() > best.pattern->letters()))
      best = std::move(other), start = colon + 2;
  if (!best.pattern) return std::nullopt;
  const std::optional<std::string> said =
      fill_in(best.pattern->chinese(), [&](const std::string& name) -> std::optional<std::string> {
        const auto value = best.values.find(name);
        return value == best.values.end() ? std::nullopt : std::optional(translated_value(value->second));
      });
  if (!said || start == 0) return said;
  return translated_value(text.substr(0, start - 2)) + "：" + *said;
}

} // namespace

std::string in_learners_language(const std::string& english) {
  return language() == Language::en ? english : in_chinese(english);
}

std::string in_chinese(const std::string& english) {
  constexpr std::size_t longest = 4096; // a hostile name may be longer than any sentence
  return english.size() > longest ? english : translated_value(english);
}

} // namespace tfx
