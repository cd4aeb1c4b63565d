#pragma once
// A screen being written: lines, paragraphs and named rows, with the words of a lesson and the numbers of its
// run.

#include "render/style.hpp"
#include "render/text_layout.hpp"
#include "trace/trace.hpp"
#include "words/in_words.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>

namespace tfx {

/// A fact as text.
std::string format_fact(const Fact& fact, int precision);

/// A fact as the words quote it: what could drive a terminal or break the line is written out; a list has a
/// line for each.
std::string quoted_fact(const Fact& fact, int precision);

/// Deviations are shown by size, not by digits: "2e-16".
std::string format_deviation(double value);

class Paper {
public:
  static constexpr std::size_t margin = 9; ///< "check    "

  Paper(const Trace& trace, const Words& words, const Style& style)
      : trace_(trace), words_(words), style_(style) {}

  const Trace& trace() const { return trace_; }
  const Style& style() const { return style_; }

  void line(const std::string& text = {}) { out_ += text + "\n"; }

  /// A title at the left, in bold, and what it is of at the right where there is room; and a blank line.
  void title(const std::string& left, const std::string& right);

  /// A wrapped paragraph and a blank line; list items hang. Nothing for nothing.
  void paragraph(const std::optional<std::string>& text);

  /// Of the text the first line in bold behind "── ", the others as a paragraph. Nothing for nothing.
  void subheading(const std::optional<std::string>& text);

  /// Its lines, and a blank one.
  void table(const Table& table);

  /// "check    ✓ …": a named row; further lines are indented. `mark` is kept before the hanging text.
  void row(const std::string& name, const std::string& text, bool mark = false);

  /// Lines as they are, cut where the page ends.
  void row(const std::string& name, const std::vector<std::string>& lines);

  /// The text beside `first`, which is so many columns wide; further lines are indented.
  void hanging(const std::string& first, const std::string& text, std::size_t indent);

  /// The lesson's words of that key with the run's numbers; nothing where there is no such key, or the run
  /// has no such number. What is quoted has its control characters written out.
  std::optional<std::string> word(const std::string& key,
                                  const std::map<std::string, std::string>& values = {}) const;

  /// The formula of a step, or where an input comes from: standard input by the words of the page.
  std::string source(const std::string& formula) const;

  /// The words of a step: "activated.gelu", with its operation's name, where the lesson can take another one
  /// there, else "activated".
  std::optional<std::string> said_of(const Step& step) const;

  /// What heads a column of a table: the lesson's words of "column." and the key.
  std::string column(const std::string& key) const { return word("column." + key).value_or(key); }

  /// The sentence of a check with its measured value.
  std::string check(const Check& check) const;

  /// The sentence of a property, in brackets what was measured, where something was.
  std::string property(const std::string& id, std::optional<double> measured = {}) const;

  /// What a head looks at, as HeadScores::said says it, by the words of the page's language.
  std::string role(const std::string& said) const;

  /// "lesson 3", "appendix".
  std::string in_course(std::optional<int> number) const { return tfx::in_course(number, words_); }

  /// Words of the frame that all lessons share.
  std::string ui(const std::string& key, const std::map<std::string, std::string>& values = {}) const;

  /// What was written since the last time.
  std::string take() { return std::exchange(out_, {}); }

private:
  std::string named(const std::string& name) const; ///< the beginning of a row
  std::optional<std::string> fact(const std::string& name) const;
  /// Rules of heads ("mirrored") by their words in the language of the page, which facts do not know.
  std::string roles(const Fact& fact) const;

  const Trace& trace_;
  const Words& words_;
  const Style& style_;
  std::string out_;
  bool is_left_out_ = false; ///< the row "next" and what continues it, on a screen within another
};

/// What the sentences beside a gradient quote of its central differences: its step, whose cell it is.
std::map<std::string, std::string> difference_values(const Step& step, const GradientCheck& check,
                                                     int precision);

/// The key of the sentence that stands beside a gradient whose central differences are not shown whole.
const char* words_of_difference(const GradientCheck& check);

} // namespace tfx
