#pragma once
// Both languages of one HTML document: each sentence stands there twice, marked with its language, and the
// document shows one of them. The numbers in both are the run's.

#include "render/html/html.hpp"
#include "render/paper.hpp"

namespace tfx {

/// A text in both languages.
struct Both {
  std::string en, zh;
};

/// The words of a lesson in both languages.
struct BothWords {
  Words en, zh;
};

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
  Html paragraph(const std::string& key) const;
  /// The same inline.
  Html word(const std::string& key) const;
  Html check(const Check& check) const { return in_both({en_.check(check), zh_.check(check)}); }
  Html ui(const std::string& key, const std::map<std::string, std::string>& values = {}) const;
  /// Where an input comes from, or the formula of a step.
  Both source(const std::string& formula) const;

private:
  BothWords words_;
  Style style_;
  Paper en_, zh_;
};

} // namespace tfx
