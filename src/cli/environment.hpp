#pragma once
// What the environment says of the terminal and the language.

#include "render/style.hpp"
#include "words/in_words.hpp"

#include <string>

namespace tfx {

struct Terminal {
  std::size_t width = 80;     ///< COLUMNS, else the window's, else 80; between 20 and 1000
  std::size_t rows = 0;       ///< the window's; 0 where stdout is no terminal, or nobody knows
  bool wants_color = false;   ///< stdout is a terminal, and neither NO_COLOR nor TERM=dumb says no
  Color color = Color::basic; ///< what it can show
  Ground ground =
      Ground::dark;    ///< light where COLORFGBG ends in 7 or 9 … 15, as terminals with that variable do
  bool unicode = true; ///< the locale names no other character set
};

Terminal look_at_terminal();

/// zh where LC_ALL, LC_MESSAGES or LANG (the first that is set) begins with "zh".
Language language_of_locale();

/// The variable that decides the characters of the text, "LC_ALL=zh_CN.UTF-8"; empty where none is set.
std::string locale_of_text();

/// Where a program keeps what it can make again: $XDG_CACHE_HOME/tfx, else ~/.cache/tfx; empty where the
/// environment names neither.
std::string cache_folder();

/// Where a program keeps what a user has done with it: $XDG_STATE_HOME/tfx, else ~/.local/state/tfx; empty
/// where the environment names neither.
std::string state_folder();

} // namespace tfx
