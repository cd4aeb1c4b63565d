#pragma once
// What the environment says of the terminal and the language.

#include "course/catalog.hpp"
#include "render/style.hpp"

namespace tfx {

struct Terminal {
  std::size_t width = 80;     ///< COLUMNS, else the window's, else 80; between 20 and 1000
  bool wants_color = false;   ///< stdout is a terminal, and neither NO_COLOR nor TERM=dumb says no
  Color color = Color::basic; ///< what it can show
  bool unicode = true;        ///< the locale names no other character set
};

Terminal look_at_terminal();

/// zh where LC_ALL, LC_MESSAGES or LANG (the first that is set) begins with "zh".
Language language_of_locale();

} // namespace tfx
