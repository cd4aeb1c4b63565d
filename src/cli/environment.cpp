#include "cli/environment.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string>
#include <string_view>

#include <sys/ioctl.h>
#include <unistd.h>

namespace tfx {

namespace {

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::string_view first_set(std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (const std::string_view value = variable(name); !value.empty()) return value;
  return {};
}

/// Of the terminal on stdout; without rows and columns where there is none.
winsize window() {
  winsize size{};
  if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return {};
  return size;
}

std::size_t terminal_width() {
  constexpr std::size_t min_width = 20, max_width = 1000, usual_width = 80;
  const std::string_view columns = variable("COLUMNS");
  std::size_t width = 0;
  const auto [end, error] = std::from_chars(columns.data(), columns.data() + columns.size(), width);
  if (error != std::errc() || end != columns.data() + columns.size() || width == 0)
    width = window().ws_col > 0 ? window().ws_col : usual_width;
  return std::clamp(width, min_width, max_width);
}

// COLORFGBG is "foreground;background" or "foreground;default;background", numbers of the 16 colours: of
// these 7 and those from 9 on are light.
Ground ground_of(std::string_view colors) {
  const std::string_view last = colors.substr(colors.rfind(';') + 1);
  int number = 0;
  const auto [end, error] = std::from_chars(last.data(), last.data() + last.size(), number);
  if (error != std::errc() || end != last.data() + last.size()) return Ground::dark;
  return number == 7 || (number >= 9 && number <= 15) ? Ground::light : Ground::dark;
}

// A locale without a character set ("C", "POSIX") is taken as UTF-8, as containers without any locale are.
bool is_unicode(std::string_view locale) {
  const auto dot = locale.find('.');
  if (dot == std::string_view::npos) return true;
  std::string charset(locale.substr(dot + 1, locale.find('@') - dot - 1));
  std::transform(charset.begin(), charset.end(), charset.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return charset == "utf-8" || charset == "utf8";
}

std::string own_folder(const char* named, const std::string& in_home) {
  const std::string folder(variable(named)), home(variable("HOME"));
  if (folder.starts_with('/')) return folder + "/tfx"; // XDG: a relative one counts as none
  return home.empty() ? "" : home + in_home;
}

} // namespace

Terminal look_at_terminal() {
  Terminal terminal;
  terminal.width = terminal_width();
  terminal.rows = window().ws_row;
  const std::string_view term = variable("TERM"), colorterm = variable("COLORTERM");
  terminal.wants_color = isatty(STDOUT_FILENO) && variable("NO_COLOR").empty() && term != "dumb";
  if (colorterm == "truecolor" || colorterm == "24bit")
    terminal.color = Color::truecolor;
  else if (term.find("256color") != std::string_view::npos)
    terminal.color = Color::palette;
  terminal.ground = ground_of(variable("COLORFGBG"));
  terminal.unicode = is_unicode(first_set({"LC_ALL", "LC_CTYPE", "LANG"}));
  return terminal;
}

Language language_of_locale() {
  return first_set({"LC_ALL", "LC_MESSAGES", "LANG"}).starts_with("zh") ? Language::zh : Language::en;
}

std::string locale_of_text() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"})
    if (const std::string_view value = variable(name); !value.empty())
      return std::string(name) + "=" + std::string(value);
  return {};
}

std::string cache_folder() {
  return own_folder("XDG_CACHE_HOME", "/.cache/tfx");
}

std::string state_folder() {
  return own_folder("XDG_STATE_HOME", "/.local/state/tfx");
}

} // namespace tfx
