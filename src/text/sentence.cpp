#include "text/sentence.hpp"

#include "text/tokens.hpp"
#include "text/utf8.hpp"

#include <utf8proc.h>

#include <algorithm>

namespace tfx {

namespace {

/// The first `count` characters as capitals.
std::string with_capitals(std::string_view text, std::size_t count) {
  std::string changed;
  for (std::size_t position = 0; position < text.size();) {
    const CodePoint next = decode(text, position);
    utf8proc_uint8_t bytes[4];
    const auto upper = utf8proc_toupper(static_cast<utf8proc_int32_t>(next.value));
    if (count > 0 && next.valid)
      changed.append(bytes, bytes + utf8proc_encode_char(upper, bytes)), --count;
    else
      changed += text.substr(position, next.length);
    position += next.length;
  }
  return changed;
}

std::string capitalized(std::string_view word) {
  return with_capitals(word, 1);
}

std::string in_capitals(std::string_view word) {
  return with_capitals(word, word.size());
}

/// How a token stands to its neighbours.
enum class Side { word, cjk, mark, closing, opening, quote, between };

Side side_of(char32_t character) {
  constexpr std::u32string_view closing = U",.;:!?)]}%…’”", opening = U"([{‘“";
  if (closing.find(character) != closing.npos) return Side::closing;
  if (opening.find(character) != opening.npos) return Side::opening;
  if (character == U'"' || character == U'\'') return Side::quote;
  if (character == U'/' || character == U'+') return Side::between;
  if (!is_cjk(character)) return Side::word;
  const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(character));
  return category == UTF8PROC_CATEGORY_LO ? Side::cjk : Side::mark;
}

/// Of a token that is one character that of the character, of others that of a word.
Side side_of(std::string_view token) {
  const CodePoint first = decode(token, 0);
  return first.length == token.size() ? side_of(first.value) : Side::word;
}

/// Whether print has a blank there. A quote has become opening or closing before.
bool has_blank_between(Side before, Side after) {
  if (before == Side::opening || after == Side::closing) return false;
  if (before == Side::between || after == Side::between) return false;
  if (before == Side::mark || after == Side::mark) return false;
  return before != Side::cjk || after != Side::cjk;
}

} // namespace

std::vector<std::string> sentence_tokens(std::string_view text) {
  std::vector<std::string> marked;
  for (std::string& token : words_and_marks(text)) {
    const std::string lower = lower_case(token);
    const bool changed = lower != token;
    if (changed && capitalized(lower) == token)
      marked.emplace_back(capital_mark), token = lower;
    else if (changed && in_capitals(lower) == token)
      marked.emplace_back(capitals_mark), token = lower;
    marked.push_back(std::move(token));
  }
  return marked;
}

std::string sentence_of(const std::vector<std::string>& tokens) {
  std::string text, mark;
  Side before = Side::opening; // no blank stands first
  bool in_quotes = false;
  for (const std::string& token : tokens) {
    if (token == capital_mark || token == capitals_mark) {
      mark = token;
      continue;
    }
    Side side = token.empty() ? Side::word : side_of(token);
    if (side == Side::quote) {
      side = in_quotes ? Side::closing : Side::opening;
      in_quotes = !in_quotes;
    }
    if (has_blank_between(before, side)) text += ' ';
    const bool is_named = token.starts_with('<') && token.size() > 1; // <unk>
    text += mark.empty() || is_named ? token : mark == capital_mark ? capitalized(token) : in_capitals(token);
    mark.clear();
    before = side;
  }
  return text;
}

} // namespace tfx
