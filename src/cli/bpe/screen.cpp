#include "cli/bpe/screen.hpp"

#include "cli/text_lines.hpp"
#include "core/number.hpp"
#include "io/message.hpp"
#include "render/json.hpp"
#include "render/table.hpp"
#include "render/text_block.hpp"
#include "text/display_width.hpp"
#include "text/utf8.hpp"

#include <algorithm>

namespace tfx {

namespace {

/// In quotes, as blanks count.
std::string shown_token(const std::string& bytes) {
  constexpr std::size_t columns = 30;
  return "\"" + shorten(escape_controls(bytes), columns) + "\"";
}

std::string paragraph(const std::string& text, const Style& style) {
  return wrapped(text, style) + "\n";
}

Table merges_table(const LearnedBytePairs& learned, std::size_t most) {
  Table table{{in_words("bpe.column.left"), in_words("bpe.column.right"), in_words("bpe.column.token"),
               in_words("bpe.column.count")},
              {},
              Table::Last::number};
  const std::size_t shown = std::min(most, learned.merges.size()), digits = std::to_string(shown).size();
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& [merge, count] = learned.merges[i];
    table.rows.push_back({pad_left(std::to_string(i + 1), digits),
                          {shown_token(merge.left), shown_token(merge.right),
                           shown_token(merge.left + merge.right), with_separators(count)},
                          0,
                          false});
  }
  return table;
}

} // namespace

std::string learned_screen(const LearnedBytePairs& learned, const BpeOptions& o, const Style& style) {
  constexpr std::size_t few = 20;
  const std::size_t made = learned.merges.size(), shown = o.all ? made : std::min(made, few);
  const auto bytes_each = static_cast<double>(learned.bytes) / static_cast<double>(learned.tokens);
  const std::map<std::string, std::string> facts{
      {"file", shown_file(o.file)},
      {"bytes", with_separators(learned.bytes)},
      {"pieces", with_separators(learned.pieces)},
      {"different", with_separators(learned.different_pieces)},
      {"made", with_separators(made)},
      {"wanted", with_separators(o.merges.value_or(made))},
      {"tokens", with_separators(learned.tokens)},
      {"vocabulary", with_separators(learned.pairs().tokens().size())},
      {"each", format_number(bytes_each, 2)},
      {"shown", with_separators(shown)}};
  std::string text = paragraph(in_words("bpe.learned", facts), style);
  text += in_lines(table_lines(merges_table(learned, shown), style)) + "\n";
  if (shown < made) text += paragraph(in_words("bpe.more", facts), style);
  if (made < o.merges.value_or(made)) text += paragraph(in_words("bpe.fewer", facts), style);
  text += paragraph(in_words("bpe.result", facts), style);
  if (o.out)
    text += paragraph(
        in_words("bpe.saved", {{"file", printable(*o.out)}, {"argument", shell_quoted(*o.out)}}), style);
  if (o.vocab_out)
    text += paragraph(in_words("bpe.saved_vocabulary", {{"file", printable(*o.vocab_out)}}), style);
  return text;
}

std::string learned_json(const LearnedBytePairs& learned) {
  JsonWriter json;
  begin_command(json, "bpe");
  json.key("bytes"), json.value(learned.bytes);
  json.key("pieces"), json.value(learned.pieces);
  json.key("different_pieces"), json.value(learned.different_pieces);
  json.key("tokens"), json.value(learned.tokens);
  json.key("merges"), json.begin_array();
  for (const auto& [merge, count] : learned.merges) {
    json.begin_object();
    json.key("left"), json.value(written_bytes(merge.left));
    json.key("right"), json.value(written_bytes(merge.right));
    json.key("count"), json.value(count);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return json.take();
}

std::string encoded_screen(const BytePairs& pairs, const std::vector<std::uint32_t>& ids,
                           const Style& style) {
  Table table{{in_words("bpe.column.id"), in_words("bpe.column.bytes")}, {}, Table::Last::number};
  for (const std::uint32_t id : ids) {
    const std::string& token = pairs.tokens()[id];
    table.rows.push_back({shown_token(token), {std::to_string(id), std::to_string(token.size())}, 0, false});
  }
  return ids.empty() ? "" : in_lines(table_lines(table, style));
}

std::string encoded_json(const BytePairs& pairs, const std::string& text,
                         const std::vector<std::uint32_t>& ids) {
  JsonWriter json;
  begin_command(json, "bpe");
  json.key("text"), json.value(text);
  json.key("ids"), json.value(ids);
  json.key("tokens"), json.begin_array();
  for (const std::uint32_t id : ids) json.value(written_bytes(pairs.tokens()[id]));
  json.end_array();
  json.end_object();
  return json.take();
}

} // namespace tfx
