#pragma once
// Markup in both languages. Text becomes markup only through Html::text, which escapes it, so that no word,
// file name or tensor name that somebody typed can become a tag, a script or an entity; each sentence stands
// in a document twice, marked with its language, and the document shows one of them.

#include "render/paper.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tfx {

/// The text as it may stand in an element or between the quotes of an attribute: & < > " ' as entities; what
/// could drive a terminal, or reorder or break a line, written out (escape_controls).
std::string html_escape(std::string_view text);

class Html {
public:
  Html() = default;
  static Html text(std::string_view plain) { return Html(html_escape(plain)); }
  /// Markup that this program wrote itself: nothing of a learner's stands in it.
  static Html trusted(std::string markup) { return Html(std::move(markup)); }

  Html& operator+=(const Html& more) {
    markup_ += more.markup_;
    return *this;
  }
  friend Html operator+(Html left, const Html& right) { return left += right; }
  bool empty() const { return markup_.empty(); }
  const std::string& markup() const { return markup_; }

private:
  explicit Html(std::string markup) : markup_(std::move(markup)) {}
  std::string markup_;
};

/// Names are this program's; values are escaped.
using Attributes = std::vector<std::pair<std::string_view, std::string>>;

/// "<p class="intro">…</p>".
Html element(std::string_view tag, const Attributes& attributes, const Html& content);
Html element(std::string_view tag, const Html& content);
Html element(std::string_view tag, std::string_view plain_text);

/// "<meta …>": an element that has no end tag.
Html lone_element(std::string_view tag, const Attributes& attributes);

/// A text in both languages.
struct Both {
  std::string en, zh;
};

/// The words of a lesson in both languages.
struct BothWords {
  Words en, zh;
};

/// Shown where the document is in that language, "en" or "zh".
Html in_language(const char* tag, const char* language, const Html& content);

/// Inline markup; once where the two are equal.
Html in_both(const Both& text);

/// "<p>…</p>" for each paragraph, list items as a list; in both languages.
Html paragraphs_in_both(const Both& text);

class Bilingual {
public:
  Bilingual(const Trace& trace, BothWords words, const Style& style)
      : words_(std::move(words)),
        style_(style),
        en_(trace, words_.en, style_),
        zh_(trace, words_.zh, style_) {}
  Bilingual(const Bilingual&) = delete; // the papers read the words beside them
  Bilingual& operator=(const Bilingual&) = delete;

  const Trace& trace() const { return en_.trace(); }
  const Style& style() const { return en_.style(); }
  const Paper& en() const { return en_; }
  const Paper& zh() const { return zh_; }

  /// The words of that key as paragraphs; nothing where there are none, or the run has not their numbers.
  Html paragraph(const std::string& key, const std::map<std::string, std::string>& values = {}) const;
  /// The same inline.
  Html word(const std::string& key) const;
  Html check(const Check& check) const { return in_both({en_.check(check), zh_.check(check)}); }
  Html ui(const std::string& key, const std::map<std::string, std::string>& values = {}) const;
  Html in_course(std::optional<int> number) const {
    return in_both({en_.in_course(number), zh_.in_course(number)});
  }
  /// Where an input comes from, or the formula of a step.
  Both source(const std::string& formula) const;

private:
  BothWords words_;
  Style style_;
  Paper en_, zh_;
};

} // namespace tfx
