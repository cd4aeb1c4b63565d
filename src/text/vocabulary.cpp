#include "text/vocabulary.hpp"

#include "core/error.hpp"
#include "text/byte_pairs.hpp"
#include "text/display_width.hpp"
#include "text/names.hpp"
#include "text/tokens.hpp"
#include "text/utf8.hpp"

#include <algorithm>
#include <array>

namespace tfx {

namespace {

constexpr std::array special_tokens{pad_token, start_token, end_token, unknown_token};

std::string token_in_quotes(std::string_view token) {
  constexpr std::size_t columns = 40;
  return "\"" + shorten(escape_controls(token), columns) + "\"";
}

std::vector<std::string> code_points(std::string_view text) {
  std::vector<std::string> characters;
  std::size_t to_last = 0; // up to the last one that is no white space
  for (std::size_t position = 0; position < text.size();) {
    const CodePoint next = decode(text, position);
    const bool space = is_white_space(next.value);
    if (!space || !characters.empty()) characters.emplace_back(text.substr(position, next.length));
    if (!space) to_last = characters.size();
    position += next.length;
  }
  characters.resize(to_last);
  return characters;
}

/// Each byte that is no UTF-8 as U+FFFD: half a character that a model wrote.
std::string valid_utf8(std::string_view text) {
  std::string valid;
  for (std::size_t position = 0; position < text.size();) {
    const CodePoint next = decode(text, position);
    if (next.valid)
      valid += text.substr(position, next.length);
    else
      valid += "\uFFFD";
    position += next.length;
  }
  return valid;
}

std::vector<std::string> id_texts(std::string_view text) {
  std::string blanks(text);
  std::replace(blanks.begin(), blanks.end(), ',', ' ');
  return split_at_white_space(blanks);
}

} // namespace

const std::vector<std::string>& tokenizer_names() {
  static const std::vector<std::string> names{"ids", "words", "characters", "sentences", "bpe"};
  return names;
}

std::string to_string(Tokenizer tokenizer) {
  return tokenizer_names()[static_cast<std::size_t>(tokenizer)];
}

std::optional<Tokenizer> tokenizer_named(std::string_view name) {
  const auto& names = tokenizer_names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Tokenizer>(found - names.begin());
}

std::vector<std::string> split(std::string_view text, Tokenizer tokenizer) {
  require_utf8(text);
  switch (tokenizer) {
  case Tokenizer::ids: return id_texts(text);
  case Tokenizer::words: return split_at_white_space(text);
  case Tokenizer::sentences: return sentence_tokens(text);
  case Tokenizer::characters:
  case Tokenizer::bpe: break; // which cuts by its merges
  }
  return code_points(text);
}

Vocabulary::Vocabulary(Tokenizer tokenizer_, std::vector<std::string> tokens_)
    : tokenizer(tokenizer_), tokens(std::move(tokens_)) {
  for (std::size_t id = 0; id < tokens.size(); ++id) {
    if (tokens[id].empty())
      throw Error(ErrorKind::bad_data, said("a token of the vocabulary is empty (id {id})", {{"id", id}}),
                  said("give it a name"));
    if (!ids_.emplace(tokens[id], static_cast<std::uint32_t>(id)).second)
      throw Error(ErrorKind::bad_data,
                  said("the token {token} (id {id}) stands twice",
                       {{"token", token_in_quotes(tokens[id])}, {"id", id}}),
                  said("give each token once"));
  }
  if (tokenizer == Tokenizer::ids) return;
  while (specials_ < std::min(tokens.size(), special_tokens.size()) &&
         tokens[specials_] == special_tokens[specials_])
    ++specials_;
}

Vocabulary Vocabulary::of_ids(std::size_t count) {
  std::vector<std::string> tokens;
  for (std::size_t id = 0; id < count; ++id) tokens.push_back(std::to_string(id));
  return {Tokenizer::ids, std::move(tokens)};
}

Vocabulary Vocabulary::of_texts(Tokenizer tokenizer, const std::vector<std::string>& texts, Unknown unknown,
                                std::size_t min_count) {
  const std::size_t specials = special_tokens.size() - (unknown == Unknown::refused ? 1 : 0);
  std::vector<std::string> all(special_tokens.begin(), special_tokens.begin() + specials);
  std::unordered_map<std::string, std::size_t> counts;
  std::vector<std::string> seen; // in their order
  for (const std::string& text : texts)
    for (const std::string& token : split(text, tokenizer))
      if (++counts[token] == 1) seen.push_back(token);
  for (std::string& token : seen)
    if (counts[token] >= min_count &&
        std::find(all.begin(), all.begin() + specials, token) == all.begin() + specials)
      all.push_back(std::move(token));
  return {tokenizer, std::move(all)};
}

Vocabulary Vocabulary::of_byte_pairs(std::shared_ptr<const BytePairs> pairs) {
  std::vector<std::string> all(special_tokens.begin(), special_tokens.begin() + unknown_id);
  for (const std::string& token : pairs->tokens()) all.push_back(written_bytes(token));
  Vocabulary vocabulary(Tokenizer::bpe, std::move(all));
  vocabulary.byte_pairs_ = std::move(pairs);
  return vocabulary;
}

std::optional<std::uint32_t> Vocabulary::id_of(const std::string& token) const {
  const auto found = ids_.find(token);
  return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::uint32_t> Vocabulary::encode(std::string_view text) const {
  std::vector<std::uint32_t> ids;
  if (byte_pairs_)
    for (const std::uint32_t id : byte_pairs_->encode(text)) ids.push_back(unknown_id + id);
  else
    for (const std::string& token : split(text, tokenizer)) append_ids_of(token, ids);
  if (ids.empty()) throw usage(said("the text holds no token"), said("write at least one"));
  return ids;
}

bool Vocabulary::holds_unknown(const std::vector<std::uint32_t>& ids) const {
  const auto unknown = id_of(std::string(unknown_token));
  return unknown && std::find(ids.begin(), ids.end(), *unknown) != ids.end();
}

std::string Vocabulary::decode(const std::vector<std::uint32_t>& ids, std::string_view unknown) const {
  std::vector<std::string> named;
  for (const std::uint32_t id : ids) {
    if (id >= tokens.size())
      throw Error(ErrorKind::bad_data,
                  said("id {id} is none of a vocabulary of {count}", {{"id", id}, {"count", tokens.size()}}),
                  said("take the vocabulary that belongs to the model"));
    if (byte_pairs_ && id >= unknown_id)
      named.push_back(byte_pairs_->tokens()[id - unknown_id]);
    else
      named.emplace_back(tokens[id] == unknown_token ? unknown : tokens[id]);
  }
  if (tokenizer == Tokenizer::sentences) return sentence_of(named);
  const bool apart = tokenizer == Tokenizer::words || tokenizer == Tokenizer::ids;
  const std::string text = join(named, apart ? " " : "");
  return byte_pairs_ ? valid_utf8(text) : text;
}

std::vector<std::uint32_t> Vocabulary::encode_as_written(std::string_view text) const {
  if (tokenizer != Tokenizer::characters) return encode(text);
  require_utf8(text);
  std::vector<std::uint32_t> ids;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = tfx::decode(text, at).length;
    const std::string character(text.substr(at, length));
    const auto id = id_of(character);
    if (!id && specials_ <= unknown_id) refuse(character);
    ids.push_back(id.value_or(unknown_id));
    at += length;
  }
  if (ids.empty()) throw usage(said("the text holds no token"), said("write at least one"));
  return ids;
}

std::string Vocabulary::shown(std::uint32_t id) const {
  std::string text;
  for (const char c : escape_controls(decode({id}))) text += c == ' ' ? "␣" : std::string(1, c);
  return text;
}

void Vocabulary::append_ids_of(const std::string& token, std::vector<std::uint32_t>& ids) const {
  if (const auto id = id_in_text(token)) {
    ids.push_back(*id);
  } else if (const auto parts = ids_of_parts(token)) {
    ids.insert(ids.end(), parts->begin(), parts->end());
  } else if (specials_ > unknown_id) {
    ids.push_back(unknown_id);
  } else {
    refuse(token);
  }
}

std::optional<std::uint32_t> Vocabulary::id_in_text(const std::string& token) const {
  for (const std::string& form : {token, lower_case(token)})
    if (const auto id = id_of(form); id && *id >= specials_) return id;
  return std::nullopt;
}

std::optional<std::vector<std::uint32_t>> Vocabulary::ids_of_parts(const std::string& word) const {
  if (tokenizer != Tokenizer::words && tokenizer != Tokenizer::sentences) return std::nullopt;
  std::string parts = word;
  std::replace(parts.begin(), parts.end(), '-', ' ');
  std::vector<std::uint32_t> ids;
  for (const std::string& part : split_at_white_space(parts)) {
    const auto id = id_in_text(part);
    if (!id) return std::nullopt;
    ids.push_back(*id);
  }
  return ids.empty() ? std::nullopt : std::optional(ids);
}

void Vocabulary::refuse(const std::string& token) const {
  const std::vector<std::string> known(tokens.begin() + static_cast<std::ptrdiff_t>(specials_), tokens.end());
  if (known.empty()) throw usage(said("the vocabulary is empty"), said("take that of a trained model"));
  if (tokenizer == Tokenizer::ids)
    throw usage(said("{token} is no id of the vocabulary, which has 0 … {last}",
                     {{"token", token_in_quotes(token)}, {"last", tokens.back()}}),
                said("write ids with blanks or commas between: 1 2 3"));
  const auto near = nearest(token, known);
  std::string words;
  constexpr std::size_t columns = 181; // enough for a small vocabulary whole
  for (const std::string& word : known) {
    if (words.size() > columns) break;
    words += (words.empty() ? "" : " ") + escape_controls(word);
  }
  throw usage(said("{token} is not in the vocabulary", {{"token", token_in_quotes(token)}}),
              near ? said("did you mean {name}?", {{"name", token_in_quotes(*near)}})
                   : said("the vocabulary has {words}", {{"words", shorten(words, columns)}}));
}

} // namespace tfx
