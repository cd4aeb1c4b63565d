#include "input/subword_input.hpp"

#include "core/error.hpp"
#include "text/byte_pairs.hpp"
#include "text/tokens.hpp"
#include "text/utf8.hpp"
#include "words/in_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace tfx {

namespace {

using Pieces = std::vector<std::string_view>;

// The words of Sennrich, Haddow and Birch, section 3.2, as often as there.
constexpr const char* paper_text =
    "low low low low low lower lower newest newest newest newest newest newest widest widest widest";
constexpr const char* paper_word = "lowest";

Pieces pieces_of(const std::string& text, const char* option) {
  require_utf8(text);
  if (text.empty()) throw usage_error("nothing_to_cut", {{"name", option}});
  if (text.size() > max_lesson_text)
    throw usage_error("text_too_long", {{"name", option},
                                        {"bytes", std::to_string(text.size())},
                                        {"most", std::to_string(max_lesson_text)}});
  Pieces pieces = gpt2_pieces(text);
  for (const std::string_view piece : pieces)
    if (piece.size() > max_lesson_piece)
      throw usage_error("piece_too_long", {{"name", option},
                                           {"bytes", std::to_string(piece.size())},
                                           {"most", std::to_string(max_lesson_piece)}});
  return pieces;
}

/// The number of each byte that occurs.
using Numbers = std::map<std::string, double, std::less<>>;

// A piece a row.
Tensor numbers_of(const Pieces& pieces, const Numbers& numbers) {
  std::size_t longest = 0;
  for (const std::string_view piece : pieces) longest = std::max(longest, piece.size());
  Tensor ids({pieces.size(), longest});
  std::ranges::fill(ids.data, -1);
  for (std::size_t i = 0; i < pieces.size(); ++i)
    for (std::size_t j = 0; j < pieces[i].size(); ++j)
      ids.data[i * longest + j] = numbers.find(pieces[i].substr(j, 1))->second;
  return ids;
}

std::vector<std::string> names_of(const Pieces& pieces) {
  std::vector<std::string> names;
  for (const std::string_view piece : pieces) names.push_back(shown_symbol(piece));
  return names;
}

// Of the learner's text the last of the rarest pieces; a single character only where there is nothing else.
std::string_view rarest(const Pieces& different, const std::vector<double>& counts) {
  const auto rank = [&](std::size_t i) { return std::tuple(graphemes(different[i]).size() == 1, counts[i]); };
  std::size_t best = 0;
  for (std::size_t i = 1; i < different.size(); ++i)
    if (rank(i) <= rank(best)) best = i;
  return different[best];
}

} // namespace

std::string shown_symbol(std::string_view bytes) {
  std::string shown;
  for (std::size_t at = 0; at < bytes.size();) {
    const CodePoint next = decode(bytes, at);
    const std::string_view part = bytes.substr(at, next.valid ? next.length : 1);
    if (!next.valid)
      shown += fmt::format("<{:02X}>", static_cast<unsigned char>(part[0]));
    else
      shown += part.size() == 1 ? written_bytes(part) : std::string(part);
    at += part.size();
  }
  return shown;
}

LessonInput text_to_cut(const InputOptions& o, const InputRules& lesson) {
  LessonInput input;
  input.text = o.text.value_or(paper_text);
  input.merges = o.merges.value_or(input.merges);
  const Pieces all = pieces_of(input.text, "--text");
  Pieces different;
  std::vector<double> counts;
  for (const std::string_view piece : all) {
    const auto place = static_cast<std::size_t>(std::ranges::find(different, piece) - different.begin());
    if (place == different.size()) different.push_back(piece), counts.push_back(0);
    ++counts[place];
  }
  input.word = o.word ? *o.word : o.text ? std::string(rarest(different, counts)) : paper_word;
  const Pieces word = pieces_of(input.word, "--word");
  Numbers numbers;
  std::vector<std::string> names;
  std::vector<double> bytes;
  for (const std::string& byte : byte_tokens()) {
    if (input.text.find(byte) == std::string::npos && input.word.find(byte) == std::string::npos) continue;
    numbers[byte] = static_cast<double>(names.size());
    names.push_back(shown_symbol(byte)), bytes.push_back(static_cast<unsigned char>(byte[0]));
  }
  const std::string source = o.text ? "--text" : "Sennrich et al. 2016";
  const auto give = [&](const char* name, const std::string& from, Tensor value, Labels labels) {
    input.given.add_input(name, from, std::move(value), std::move(labels));
  };
  give("symbols", "UTF-8", Tensor({1, names.size()}, std::move(bytes)), {{}, names});
  give("pieces", source, numbers_of(different, numbers), {names_of(different), {}});
  give("counts", source, Tensor({different.size(), 1}, std::move(counts)), {names_of(different), {}});
  give("word",
       o.word   ? "--word"
       : o.text ? source
                : "\"" + input.word + "\"",
       numbers_of(word, numbers), {names_of(word), {}});
  input.named_words = true;
  if (is_usual_run(o, lesson)) input.reference = "sennrich:1";
  return input;
}

} // namespace tfx
