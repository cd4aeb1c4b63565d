#pragma once
// An HTML document: one file that loads nothing. Its security policy allows its own style and script,
// named by their SHA-256, and nothing else; there are no inline handlers and no style attributes. Without
// scripts it is a readable document, and the switch of languages works still.

#include "render/html/html.hpp"

namespace tfx {

struct HtmlDocument {
  Both title;
  Html body;             ///< sections
  std::string language;  ///< shown first: "en" or "zh"
  std::string generator; ///< "tfx 0.1.0"
};

/// The whole file; `words` has the document's own.
std::string html_document(const HtmlDocument& document, const BothWords& words);

} // namespace tfx
