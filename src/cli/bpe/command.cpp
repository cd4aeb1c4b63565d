#include "cli/bpe/command.hpp"

#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/terminal_lines.hpp"
#include "cli/text_lines.hpp"
#include "core/error.hpp"
#include "core/number.hpp"
#include "core/progress.hpp"
#include "core/visible.hpp"
#include "io/csv.hpp"
#include "io/file.hpp"
#include "io/foreign_file.hpp"
#include "io/message.hpp"
#include "lessons/run.hpp"
#include "options/parse.hpp"
#include "render/json.hpp"
#include "render/text_layout.hpp"
#include "text/display_width.hpp"
#include "text/names.hpp"
#include "text/utf8.hpp"
#include "tokens/byte_pair_files.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace tfx {

namespace {

bool learns(const BpeAction& action) {
  return action == BpeAction::train;
}
bool merges(const BpeAction& action) {
  return learns(action) || action == BpeAction::page;
}
bool applies(const BpeAction& action) {
  return action == BpeAction::encode || action == BpeAction::decode;
}
bool cuts(const BpeAction& action) {
  return action == BpeAction::encode || action == BpeAction::page;
}
bool joins(const BpeAction& action) {
  return action == BpeAction::decode;
}

} // namespace

const std::vector<std::string>& bpe_actions() {
  static const std::vector<std::string> names{"train", "encode", "decode"}; // in the order of the enum
  return names;
}

const std::vector<Option<BpeOptions, BpeAction>>& bpe_options() {
  using O = BpeOptions;
  using Row = Option<O, BpeAction>;
  static const std::vector<Row> table{
      Row("--merges", &O::merges, value::count(1, max_merges)).when(merges),
      Row("--out", &O::out, value::text("FILE.txt")).when(learns).described("bpe--out"),
      Row("--vocab-out", &O::vocab_out, value::text("FILE.json")).when(learns),
      Row("--all", &O::all).when(learns).described("bpe--all"),
      Row("--text", &O::text, value::text("TEXT")).when(cuts).described("bpe--text"),
      Row("--ids", &O::ids, value::ids()).when(joins).described("bpe--ids"),
      Row("--file", &O::lines, value::text("FILE"))
          .when(applies)
          .without({"--text", "--ids"})
          .described("bpe--file"),
      Row("--vocab", &O::vocab, value::text("FILE.json")).when(applies).described("bpe--vocab"),
      Row("--json", &O::json).without({"--file"})};
  return table;
}

BpeAction bpe_action(const BpeOptions& o) {
  const auto& names = bpe_actions();
  const auto found = std::ranges::find(names, o.action);
  if (found == names.end() && !o.action.empty())
    throw usage_error(
        "bpe_action",
        {{"name", o.action}, {"near", suggestion(nearest(o.action, names))}, {"names", alternatives(names)}});
  const auto action = static_cast<BpeAction>(found - names.begin());
  if (const auto* row = first_unfit(bpe_options(), o, action))
    throw usage_error("bpe_option", {{"name", row->name}, {"action", o.action.empty() ? "step" : o.action}});
  const auto require = [&](bool given, const std::vector<std::string>& options) {
    if (!given) throw usage_error("bpe_needs", {{"action", o.action}, {"options", alternatives(options)}});
  };
  if (action == BpeAction::page) return action;
  if (o.file.empty())
    throw usage_error("missing", {{"command", "tfx bpe"},
                                  {"help", "tfx bpe --help"},
                                  {"name", "FILE"},
                                  {"what", in_words("bpe.file")}});
  if (action == BpeAction::train) require(o.merges.has_value(), {"--merges N"});
  if (action == BpeAction::encode) require(o.text || o.lines, {"--text TEXT", "--file FILE"});
  if (action == BpeAction::decode) require(o.ids || o.lines, {"--ids 1,2,3", "--file FILE"});
  return action;
}

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

// tfx bpe: byte-pair encoding, learned from a text and applied to one.

namespace {

void check_outputs(const BpeOptions& o) {
  const auto refuse_same = [](const char* one, const std::string& a, const char* other, const auto& b) {
    if (b && same_file(a, *b)) throw usage_error("contradict", {{"one", one}, {"other", other}});
  };
  refuse_same("FILE", o.file, "--out", o.out);
  refuse_same("FILE", o.file, "--vocab-out", o.vocab_out);
  if (o.out) refuse_same("--out", *o.out, "--vocab-out", o.vocab_out);
  for (const auto& file : {o.out, o.vocab_out})
    if (file) require_writable(*file);
}

void train(const BpeOptions& o, Context& context) {
  check_outputs(o);
  const std::string text = read_text(o.file);
  const auto tell = [&](std::size_t made) { tell_progress(in_words("bpe.merging"), {made + 1, *o.merges}); };
  LearnedBytePairs learned;
  try {
    learned = learn_byte_pairs(without_byte_order_mark(text), *o.merges, tell);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) throw;
    throw Error(ErrorKind::bad_data,
                said("{file}: {what}", {{"file", shown_file(o.file)}, {"what", error.message()}}),
                error.hint());
  }
  if (learned.merges.empty()) throw data_error("bpe_no_merge", {{"file", shown_file(o.file)}});
  const BytePairs pairs = learned.pairs();
  if (o.out) write_file_atomically(*o.out, write_merges(pairs.merges()));
  if (o.vocab_out) write_file_atomically(*o.vocab_out, write_vocabulary(pairs.tokens()));
  context.out = o.json ? learned_json(learned) + "\n" : learned_screen(learned, o, context.style());
}

BytePairs pairs_of(const BpeOptions& o) {
  std::vector<Merge> merges = read_merges(read_text(o.file), o.file);
  if (!o.vocab) return BytePairs(std::move(merges));
  std::vector<std::string> tokens = read_vocabulary(read_text(*o.vocab), merges, *o.vocab);
  return {std::move(merges), std::move(tokens)};
}

std::string ids_line(const std::vector<std::uint32_t>& ids) {
  std::string line;
  for (const std::uint32_t id : ids) line += (line.empty() ? "" : " ") + std::to_string(id);
  return line;
}

/// A line in, a line out, each with the end that it had: of a text without a last newline neither side has
/// one. A refusal names the line.
template <class Convert>
void convert_lines(const std::string& file, Context& context, const Convert& convert) {
  const std::string text = read_text(file);
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    ++number;
    try {
      context.write_long(convert(std::string_view(text).substr(begin, end - begin)));
    } catch (const Error& error) {
      refuse_line(file, number, error);
    }
    if (end < text.size()) context.write_long("\n");
    begin = end + 1;
  }
}

/// What a terminal would obey is written out there; a file or a pipe gets the text as it is. Bytes that are
/// no UTF-8, as half of a character, are written out everywhere.
std::string shown_text(const std::string& text) {
  return shows_screen() ? escape_controls(text) : escape_invalid_bytes(text);
}

std::string decoded_line(const BytePairs& pairs, std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  std::string ids(line);
  std::ranges::replace(ids, ' ', ',');
  return ids.empty() ? ids : shown_text(pairs.decode(parse_ids("--file", ids).at(0)));
}

void encode(const BpeOptions& o, Context& context) {
  const BytePairs pairs = pairs_of(o);
  if (o.lines)
    return convert_lines(*o.lines, context,
                         [&](std::string_view line) { return ids_line(pairs.encode(line)); });
  const std::vector<std::uint32_t> ids = pairs.encode(*o.text);
  context.out = o.json ? encoded_json(pairs, *o.text, ids) + "\n"
                       : ids_line(ids) + "\n\n" + encoded_screen(pairs, ids, context.style());
}

void decode(const BpeOptions& o, Context& context) {
  const BytePairs pairs = pairs_of(o);
  if (o.lines)
    return convert_lines(*o.lines, context, [&](std::string_view line) { return decoded_line(pairs, line); });
  std::vector<std::uint32_t> ids;
  for (const auto& row : *o.ids) ids.insert(ids.end(), row.begin(), row.end());
  const std::string text = pairs.decode(ids);
  context.out = o.json ? encoded_json(pairs, text, ids) + "\n" : shown_text(text) + "\n";
}

/// The lesson, which `tfx bpe step` shows with all of its options.
void show_page(const BpeOptions& o, Context& context) {
  InputOptions input;
  input.text = o.text;
  if (o.merges) { // fewer than a file is asked for
    const auto row = std::ranges::find(input_options(), "--merges", &Option<InputOptions, InputRules>::name);
    row->read(input, std::to_string(*o.merges));
  }
  show_lesson(find_lesson("bpe"), input, o.json, context);
}

void run(const BpeOptions& o, Context& context) {
  switch (bpe_action(o)) {
  case BpeAction::train: return train(o, context);
  case BpeAction::encode: return encode(o, context);
  case BpeAction::decode: return decode(o, context);
  case BpeAction::page: return show_page(o, context);
  }
}

} // namespace

Command bpe_command() {
  return command_row<BpeOptions>("bpe", run, [](CLI::App& command, BpeOptions& o, Context&) {
    add_argument(command, "ACTION", o.action, in_words("bpe.action"));
    add_file_argument(command, "FILE", o.file, in_words("bpe.file"));
    for (const char* name : {"ACTION", "FILE"})
      command.get_option(name)->required(false); // the page needs none
    add_options(command, bpe_options(), o);
  });
}

} // namespace tfx
