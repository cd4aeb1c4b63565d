// Any text: its characters, its tokens, a vocabulary made of it, its lines on a screen.
#include "text/tokens.hpp"
#include "fuzz.hpp"
#include "text/display_width.hpp"
#include "text/utf8.hpp"
#include "text/vocabulary.hpp"

#include <array>

namespace tfx::fuzz {

namespace {

/// The result, or nothing where a text is refused: it came from the command line.
template <class Read>
auto taken(const Read& read) -> std::optional<decltype(read())> {
  try {
    return read();
  } catch (const Error& refusal) {
    require_proper(refusal, {ErrorKind::usage}, "");
    return std::nullopt;
  }
}

std::string joined(const auto& parts) {
  std::string text;
  for (const auto& part : parts) text += part;
  return text;
}

void check_vocabulary(const std::string& text, Tokenizer tokenizer, Vocabulary::Unknown unknown) {
  const auto vocabulary = taken([&] { return Vocabulary::of_texts(tokenizer, {text}, unknown); });
  if (!vocabulary) return;
  const auto ids = taken([&] { return vocabulary->encode(text); });
  if (!ids) return;
  const std::string decoded = vocabulary->decode(*ids); // a sentence as it is printed may be split otherwise
  if (tokenizer != Tokenizer::sentences)
    require(vocabulary->encode(decoded) == *ids, "ids come back from their text");
}

void check_screen(std::string_view text) {
  const std::string safe = escape_controls(text);
  require(escape_controls(safe) == safe, "what is safe stays");
  // One width of three, below one way of six: an input of another length takes another.
  const std::size_t columns = std::array{1, 7, 40}[text.size() / 2 % 3];
  require(display_width(shorten(safe, columns)) <= columns, "shortened text fits");
  for (const std::string& line : wrap(safe, columns))
    require(display_width(line) <= std::max<std::size_t>(columns, 2), "a line fits"); // one wide grapheme
}

} // namespace

void one_input(std::string_view bytes) {
  require(joined(graphemes(bytes)) == bytes, "graphemes are the text");
  check_screen(bytes);
  if (const auto tokens = taken([&] { return tokenize(bytes); })) {
    const DistinctTokens known = distinct(*tokens);
    require(known.ids.size() == tokens->size(), "each token has an id");
    for (std::size_t i = 0; i < tokens->size(); ++i)
      require(known.words.at(known.ids[i]) == (*tokens)[i], "an id is that of its word");
  }
  constexpr Tokenizer tokenizers[] = {Tokenizer::ids, Tokenizer::words, Tokenizer::characters,
                                      Tokenizer::sentences};
  check_vocabulary(std::string(bytes), tokenizers[bytes.size() % 4],
                   bytes.size() / 4 % 2 ? Vocabulary::Unknown::refused : Vocabulary::Unknown::has_a_token);
}

} // namespace tfx::fuzz
