#pragma once
// What the program says beside a lesson's own page: help, refusals, notes; src/words/en.md and zh.md.

#include "core/error.hpp"
#include "text/words.hpp"
#include "words/language.hpp"

#include <map>
#include <optional>
#include <string>

namespace tfx {

/// The words of the key, in the learner's language. Throws Error(internal) where there are none.
const std::string& in_words(const std::string& key);
/// The same with every {name} replaced by values["name"].
std::string in_words(const std::string& key, const std::map<std::string, std::string>& values);

/// The words of the key, or nullptr.
const std::string* find_words(const std::string& key);

/// Error(usage) with the words usage.KEY and the hint usage.KEY.hint, where there is one; {name} is
/// values["name"].
Error usage_error(const std::string& key, const std::map<std::string, std::string>& values);

/// "; did you mean scores?" as a value for usage_error; empty where there is no name to suggest.
std::string suggestion(const std::optional<std::string>& near);

} // namespace tfx
