#pragma once
// Markup as a type of its own: text becomes markup only through Html::text, which escapes it, so that no
// word, file name or tensor name that somebody typed can become a tag, a script or an entity.

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

} // namespace tfx
