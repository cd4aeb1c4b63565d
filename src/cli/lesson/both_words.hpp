#pragma once
// The words of an HTML document, in both languages: a lesson's, and the document's own.

#include "render/html/bilingual.hpp"

#include <string>

namespace tfx {

/// `folder` is a lesson's; empty for the document's own words alone.
BothWords both_words(const std::string& folder = {});

} // namespace tfx
