#include "cli/context.hpp"

#include "cli/environment.hpp"

#include <algorithm>

namespace tfx {

bool Context::names(const std::string& name) const {
  return std::find(arguments.begin(), arguments.end(), name) != arguments.end();
}

const std::string& Context::text(const std::string& key) const {
  const std::string* found = help.find(key);
  if (!found) throw Error(ErrorKind::internal, "no help text for " + key);
  return *found;
}

std::string Context::text(const std::string& key, const std::map<std::string, std::string>& values) const {
  const auto filled = fill_in(text(key), [&](const std::string& name) -> std::optional<std::string> {
    const auto value = values.find(name);
    return value == values.end() ? std::nullopt : std::optional(value->second);
  });
  if (!filled) throw Error(ErrorKind::internal, "the words of " + key + " lack a value");
  return *filled;
}

Style Context::style() const {
  Style style;
  const Terminal terminal = look_at_terminal();
  style.width = global.width.value_or(terminal.width);
  style.precision = static_cast<int>(global.precision.value_or(4));
  style.ascii = global.ascii || !terminal.unicode;
  const bool colored = global.color == "always" || (global.color == "auto" && terminal.wants_color);
  style.color = colored ? terminal.color : Color::none;
  style.picture = global.picture == "off"        ? Picture::off
                  : global.picture == "tutorial" ? Picture::tutorial
                                                 : Picture::automatic;
  return style;
}

Error Context::usage_error(const std::string& key, const std::map<std::string, std::string>& values) const {
  const std::string whole = "usage." + key, hint = whole + ".hint";
  return Error(ErrorKind::usage, text(whole, values), help.find(hint) ? text(hint, values) : "");
}

std::string Context::suggestion(const std::optional<std::string>& near) const {
  if (!near) return "";
  return fill_in(text("usage.near"), [&](const std::string&) { return near; }).value_or("");
}

} // namespace tfx
