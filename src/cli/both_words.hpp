#pragma once
// The words of a page that has both languages: a lesson's, and the page's own.

#include "render/html/bilingual.hpp"

#include <string>

namespace tfx {

/// `folder` is a lesson's; empty for the page's own words alone.
BothWords both_words(const std::string& folder = {});

} // namespace tfx
