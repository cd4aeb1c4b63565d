#include "text/tokens.hpp"

#include "core/error.hpp"
#include "core/number.hpp"
#include "core/visible.hpp"
#include "text/utf8.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <unordered_map>

namespace tfx {

namespace {

/// What a character is to the words around it.
enum class Part {
  space,
  letter,       ///< of a word, digits too
  alone,        ///< a CJK character, a punctuation mark, a picture: a token by itself
  inside,       ///< apostrophe or hyphen: of a word where it stands between two letters
  inside_digits ///< the point of a number
};

bool is_digit(char32_t character) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(character)) == UTF8PROC_CATEGORY_ND;
}

Part part_of(char32_t character) {
  if (is_white_space(character)) return Part::space;
  if (character == U'\'' || character == U'’' || character == U'-' || character == U'\u2010')
    return Part::inside;
  if (character == U'.') return Part::inside_digits;
  if (character == U'_') return Part::letter;
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(character))) {
  case UTF8PROC_CATEGORY_LU:
  case UTF8PROC_CATEGORY_LL:
  case UTF8PROC_CATEGORY_ND: return Part::letter; // full-width ones too
  case UTF8PROC_CATEGORY_LT:
  case UTF8PROC_CATEGORY_LM:
  case UTF8PROC_CATEGORY_LO:
  case UTF8PROC_CATEGORY_MN:
  case UTF8PROC_CATEGORY_MC:
  case UTF8PROC_CATEGORY_ME:
  case UTF8PROC_CATEGORY_NL:
  case UTF8PROC_CATEGORY_NO: return is_cjk(character) ? Part::alone : Part::letter;
  default: return Part::alone;
  }
}

/// How many characters from `at` on are a mark like [PAD], <s> or </s>; 0 where none begins there.
std::size_t mark_length(const std::vector<std::string_view>& characters, std::size_t at) {
  if (characters[at] != "[" && characters[at] != "<") return 0;
  const std::string_view closing = characters[at] == "[" ? "]" : ">";
  std::size_t end = at + 1;
  if (end < characters.size() && characters[end] == "/") ++end;
  const std::size_t first = end;
  while (end < characters.size() && part_of(decode(characters[end], 0).value) == Part::letter) ++end;
  return end > first && end < characters.size() && characters[end] == closing ? end + 1 - at : 0;
}

std::vector<std::string> tokens_of(const std::vector<std::string_view>& characters) {
  std::vector<std::string> tokens;
  const auto value = [&](std::size_t i) { return decode(characters[i], 0).value; };
  bool in_word = false;
  for (std::size_t i = 0; i < characters.size(); ++i) {
    const Part part = part_of(value(i));
    const bool is_between = in_word && i + 1 < characters.size() && part_of(value(i + 1)) == Part::letter;
    const bool joins = part == Part::inside ? is_between
                       : part == Part::inside_digits
                           ? is_between && is_digit(value(i - 1)) && is_digit(value(i + 1))
                           : part == Part::letter;
    if (part == Part::space) {
      in_word = false;
    } else if (joins) {
      if (!in_word) tokens.emplace_back();
      tokens.back() += characters[i];
      in_word = true;
    } else {
      tokens.emplace_back();
      const std::size_t end = i + std::max<std::size_t>(mark_length(characters, i), 1);
      for (; i < end; ++i) tokens.back() += characters[i];
      --i, in_word = false;
    }
  }
  return tokens;
}

} // namespace

std::vector<std::string> words_and_marks(std::string_view text) {
  return tokens_of(graphemes(without_byte_order_mark(text)));
}

void require_utf8(std::string_view text) {
  const auto bad = first_invalid_byte(text);
  if (!bad) return;
  throw usage(said("the text is not UTF-8: unexpected byte {byte} at byte {at}",
                   {{"byte", escape_controls(text.substr(*bad, 1))}, {"at", *bad}}),
              said("convert it first, for example with iconv -f GB18030 -t UTF-8"));
}

std::vector<std::string> split_at_white_space(std::string_view text) {
  std::vector<std::string> runs;
  bool in_run = false;
  for (std::size_t position = 0; position < text.size();) {
    const CodePoint next = decode(text, position);
    const bool space = is_white_space(next.value);
    if (!space && !in_run) runs.emplace_back();
    if (!space) runs.back() += text.substr(position, next.length);
    in_run = !space;
    position += next.length;
  }
  return runs;
}

std::optional<std::size_t> too_long_word(const std::vector<std::string>& words) {
  for (const std::string& word : words)
    if (word.size() > max_word) return word.size();
  return std::nullopt;
}

std::vector<std::string> tokenize(std::string_view text) {
  require_utf8(text);
  std::vector<std::string> tokens = words_and_marks(text);
  if (tokens.empty()) throw usage(said("the text holds no token"), said("write at least one word"));
  if (const auto bytes = too_long_word(tokens))
    throw usage(said("the text has a word of {count} bytes, and {most} is the most",
                     {{"count", with_separators(*bytes)}, {"most", with_separators(max_word)}}),
                said("white space separates words"));
  return tokens;
}

DistinctTokens distinct(const std::vector<std::string>& tokens) {
  DistinctTokens vocabulary;
  std::unordered_map<std::string_view, std::size_t> id_of;
  for (const std::string& token : tokens) {
    const auto [known, is_new] = id_of.try_emplace(token, vocabulary.words.size());
    if (is_new) vocabulary.words.push_back(token);
    vocabulary.ids.push_back(known->second);
  }
  return vocabulary;
}

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
