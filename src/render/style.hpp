#pragma once
// How a screen may look: width, colours, characters and digits, decided once, in cli/, from options and
// environment; and numbers as a screen writes them. A number has the infinities of the tables, ∞ and −∞
// (Style::symbols makes them inf and -inf where only ASCII may be used), and a large count is short.

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
  bool is_within = false; ///< another screen, which says what comes next

  std::string bold(const std::string& text) const;
  std::string dim(const std::string& text) const;
  std::string good(const std::string& text) const;
  std::string bad(const std::string& text) const;

  /// The text as the terminal can show it: with `ascii`, Q·Kᵀ becomes Q*K^T. Call it before measuring widths.
  std::string symbols(const std::string& text) const;

  /// A mark of one column, "✓", "·" or "→", which keeps it where only ASCII may be used: "+", ".", ">".
  std::string mark(const std::string& mark) const;

  /// The symbols of the text in at most so many columns, cut with … or ... where it is longer.
  std::string shortened(const std::string& text, std::size_t columns) const;

private:
  std::string paint(const char* code, const std::string& text) const;
};

std::string screen_number(double value, int precision);

/// Plain arithmetic, which has "inf" and "-inf", in the same spelling. It holds no words that could contain
/// "inf".
std::string screen_arithmetic(std::string text);

/// 12.6e9 → "12.6 G": three digits, in powers of 1000; 640 → "640".
std::string short_count(double count);

} // namespace tfx
