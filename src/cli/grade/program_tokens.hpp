#pragma once
// The words of a program: all that a reader of Python or C++ sees in it but blanks and comments.

#include "exercise/skeleton.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tfx {

struct ProgramToken {
  enum class Kind {
    name,
    number,
    text,    ///< in quotes, with them
    sign,    ///< an operator or a bracket
    line_end ///< of a statement in Python, of a directive of C++'s preprocessor
  };
  Kind kind;
  std::string text;
  bool is_at_margin = false; ///< nothing stands before it on its line

  bool is(std::string_view sign) const { return kind != Kind::text && text == sign; }
  bool is_name() const { return kind == Kind::name; }
};

using ProgramTokens = std::vector<ProgramToken>;

/// Of any bytes: what is no Python, or no C++, has tokens too.
ProgramTokens tokens_of_program(std::string_view program, ProgramLanguage language);

} // namespace tfx
