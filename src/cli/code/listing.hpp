#pragma once
// A lesson's source as a learner reads it: on a screen of any width, with comments in the learner's language.

#include "text/words.hpp"

#include <string>
#include <string_view>

namespace tfx {

enum class CodeLanguage { cpp, python };

/// The code in lines of at most `columns`, but for a name or a number longer than that: a comment that does
/// not fit beside its line stands above it, and a longer line is continued where the language allows it.
/// Comments are those of `comments` (## the comment as it stands, then its translation), others stay as they
/// are.
std::string code_listing(std::string_view code, CodeLanguage language, std::size_t columns,
                         const Words& comments);

} // namespace tfx
