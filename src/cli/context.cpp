#include "cli/context.hpp"

#include "cli/environment.hpp"

namespace tfx {

Style Context::style() const {
  Style style;
  const Terminal terminal = look_at_terminal();
  style.width = global.width.value_or(terminal.width);
  style.precision = static_cast<int>(global.precision.value_or(4));
  style.is_within = is_within;
  style.ascii = global.ascii || !terminal.unicode;
  const bool colored = global.color == "always" || (global.color == "auto" && terminal.wants_color);
  style.color = colored ? terminal.color : Color::none;
  style.ground = terminal.ground;
  style.picture = global.picture == "off"        ? Picture::off
                  : global.picture == "tutorial" ? Picture::tutorial
                                                 : Picture::automatic;
  return style;
}

} // namespace tfx
