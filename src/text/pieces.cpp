#include "text/pieces.hpp"

#include "text/utf8.hpp"

#include <array>

namespace tfx {

namespace {

constexpr std::array<std::string_view, 7> contractions{"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"};

enum class Class { space, letter, number, other };

Class class_of(char32_t character) {
  if (is_white_space(character)) return Class::space;
  if (is_letter(character)) return Class::letter;
  return is_number(character) ? Class::number : Class::other;
}

/// Characters of one class in a row.
struct Run {
  Class what;
  std::size_t end, last; ///< where it ends, and where its last character begins
};

Run run_at(std::string_view text, std::size_t at) {
  Run run{class_of(decode(text, at).value), at, at};
  while (run.end < text.size()) {
    const CodePoint next = decode(text, run.end);
    if (class_of(next.value) != run.what) break;
    run.last = run.end;
    run.end += next.length;
  }
  return run;
}

} // namespace

std::size_t end_of_piece(std::string_view text, std::size_t at) {
  for (const std::string_view contraction : contractions)
    if (text.substr(at).starts_with(contraction)) return at + contraction.size();
  const Run run = run_at(text, at);
  if (run.what != Class::space || run.end == text.size()) return run.end;
  if (run.last > at) return run.last; // the last space of several belongs to what follows, or stands alone
  return text[at] == ' ' ? run_at(text, run.end).end : run.end;
}

std::vector<std::string_view> gpt2_pieces(std::string_view text) {
  std::vector<std::string_view> pieces;
  for_each_piece(text, [&](std::string_view piece) { pieces.push_back(piece); });
  return pieces;
}

} // namespace tfx
