#pragma once
// How a screen may look: width, colours, characters, digits. Decided once, in cli/, from options and
// environment.

#include <cstddef>
#include <string>

namespace tfx {

enum class Color { none, basic, palette, truecolor }; ///< no escapes; 16 colours; 256; 24 bits
enum class Ground { dark, light };                    ///< what the terminal writes on
enum class Picture { automatic, tutorial, off };

struct Style {
  std::size_t width = 80;
  Color color = Color::none;
  Ground ground = Ground::dark;
  bool ascii = false;
  int precision = 4;
  Picture picture = Picture::automatic;

  std::string bold(const std::string& text) const;
  std::string dim(const std::string& text) const;
  std::string good(const std::string& text) const;
  std::string bad(const std::string& text) const;

  /// The text as the terminal can show it: with `ascii`, Q·Kᵀ becomes Q*K^T. Call it before measuring widths.
  std::string symbols(const std::string& text) const;

  /// The symbols of the text in at most so many columns, cut with … or ... where it is longer.
  std::string shortened(const std::string& text, std::size_t columns) const;

private:
  std::string paint(const char* code, const std::string& text) const;
};

} // namespace tfx
