#pragma once
// Whether one hand-in is another one in other clothes. A program without its blanks, comments and docstrings,
// in which what it names itself is called after the order in which it comes, is the same text for whoever
// only renamed and reworded. That says who may have copied, not from whom, nor that they did: a short
// exercise leaves little room.

#include "exercise/skeleton.hpp"
#include "judge/check_report.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tfx {

/// A program as text of its tokens alone, "def 0 ( 1 ) :": two are alike where these are equal. Empty where
/// nothing but comments is in it, or more than 20,000 tokens: what a name means is looked for far ahead, and
/// nobody writes an exercise that long.
std::string likeness_of(std::string_view program, ProgramLanguage language);

/// The same of arrays: their names, shapes and values.
std::string likeness_of(const std::vector<HandedIn>& arrays);

} // namespace tfx
