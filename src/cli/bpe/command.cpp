// tfx bpe: byte-pair encoding, learned from a text and applied to one.

#include "cli/bpe/command.hpp"

#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/lesson/save.hpp"
#include "cli/lesson/screen.hpp"
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
#include "text/byte_pair_training.hpp"
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
      Row("--json", &O::json).without({"--file"}),
      Row("--save", &O::save, value::text("FILE"))
          .when([](const BpeAction& action) { return action != BpeAction::page; })
          .without({"--file"})
          .described("report--save")};
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

Report report_of(const BpeOptions& o) {
  Report report{frame_of_command("bpe"), {}};
  report.frame.typed = "bpe " + o.action;
  report.frame.options = " " + shell_quoted(o.file);
  if (o.text) report.frame.options += " --text " + shell_quoted(*o.text);
  report.title = Title::none;
  return report;
}

/// The first merges, each a pair and what it makes.
ReportTable page_table(const LearnedBytePairs& learned, std::size_t shown) {
  ReportTable table;
  table.columns = table.shown = {"number", "left", "right", "token", "count"};
  const std::size_t digits = std::to_string(shown).size();
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& [merge, count] = learned.merges[i];
    table.rows.push_back({pad_left(std::to_string(i + 1), digits), shown_token(merge.left),
                          shown_token(merge.right), shown_token(merge.left + merge.right), Count{count}});
  }
  return table;
}

ReportTable merges_table(const LearnedBytePairs& learned) {
  ReportTable table{"merges", {"left", "right", "count"}, {}};
  for (const auto& [merge, count] : learned.merges)
    table.rows.push_back({written_bytes(merge.left), written_bytes(merge.right), Count{count}});
  return table;
}

Report learned_report(const LearnedBytePairs& learned, const BpeOptions& o) {
  constexpr std::size_t few = 20;
  const std::size_t made = learned.merges.size(), wanted = o.merges.value_or(made),
                    shown = o.all ? made : std::min(made, few);
  Report report = report_of(o);
  report.add("bytes", Count{learned.bytes}), report.add("pieces", Count{learned.pieces});
  report.add("different_pieces", Count{learned.different_pieces});
  report.add("tokens", Count{learned.tokens});
  report.say("learned", {{"file", shown_file(o.file)}});
  report.add(page_table(learned, shown));
  const Values counts{{"shown", with_separators(shown)},
                      {"made", with_separators(made)},
                      {"wanted", with_separators(wanted)}};
  if (shown < made) report.say("more", counts);
  if (made < wanted) report.say("fewer", counts);
  const auto bytes_each = static_cast<double>(learned.bytes) / static_cast<double>(learned.tokens);
  report.say("result", {{"each", format_number(bytes_each, 2)},
                        {"vocabulary", with_separators(learned.pairs().tokens().size())}});
  if (o.out) report.say("saved", {{"file", printable(*o.out)}, {"argument", shell_quoted(*o.out)}});
  if (o.vocab_out) report.say("saved_vocabulary", {{"file", printable(*o.vocab_out)}});
  report.add(merges_table(learned));
  return report;
}

std::string ids_line(const std::vector<std::uint32_t>& ids) {
  std::string line;
  for (const std::uint32_t id : ids) line += (line.empty() ? "" : " ") + std::to_string(id);
  return line;
}

/// A text and its tokens. The page begins with `result` as it is, however wide the page: other programs read
/// it.
Report tokens_report(const BpeOptions& o, const BytePairs& pairs, const std::string& text,
                     const std::vector<std::uint32_t>& ids, const std::string& result) {
  Report report = report_of(o);
  report.add("text", text);
  report.add("ids", Shape(ids.begin(), ids.end()));
  Names tokens;
  for (const std::uint32_t id : ids) tokens.push_back(written_bytes(pairs.tokens()[id]));
  report.add("tokens", tokens);
  report.add(Drawing{[lines = split_lines(result)](const Style&, Language) { return lines; }});
  return report;
}

ReportTable token_table(const BytePairs& pairs, const std::vector<std::uint32_t>& ids) {
  ReportTable table;
  table.columns = table.shown = {"token", "id", "bytes"};
  for (const std::uint32_t id : ids) {
    const std::string& token = pairs.tokens()[id];
    table.rows.push_back({shown_token(token), std::to_string(id), Count{token.size()}});
  }
  return table;
}

void check_outputs(const BpeOptions& o) {
  const auto refuse_same = [](const char* one, const std::string& a, const char* other, const auto& b) {
    if (b && same_file(a, *b)) throw usage_error("contradict", {{"one", one}, {"other", other}});
  };
  refuse_same("FILE", o.file, "--out", o.out);
  refuse_same("FILE", o.file, "--vocab-out", o.vocab_out);
  if (o.out) refuse_same("--out", *o.out, "--vocab-out", o.vocab_out);
  if (o.out) refuse_same("--out", *o.out, "--save", o.save);
  if (o.vocab_out) refuse_same("--vocab-out", *o.vocab_out, "--save", o.save);
  for (const auto& file : {o.out, o.vocab_out, o.save})
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
  // First, as it refuses a kind of file.
  show(learned_report(learned, o), {o.json, false, o.save}, context);
  if (o.out) write_file_atomically(*o.out, write_merges(pairs.merges()));
  if (o.vocab_out) write_file_atomically(*o.vocab_out, write_vocabulary(pairs.tokens()));
}

BytePairs pairs_of(const BpeOptions& o) {
  std::vector<Merge> merges = read_merges(read_text(o.file), o.file);
  if (!o.vocab) return BytePairs(std::move(merges));
  std::vector<std::string> tokens = read_vocabulary(read_text(*o.vocab), merges, *o.vocab);
  return {std::move(merges), std::move(tokens)};
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
  Report report = tokens_report(o, pairs, *o.text, ids, ids_line(ids));
  if (!ids.empty()) report.add(token_table(pairs, ids));
  show(report, {o.json, false, o.save}, context);
}

void decode(const BpeOptions& o, Context& context) {
  const BytePairs pairs = pairs_of(o);
  if (o.lines)
    return convert_lines(*o.lines, context, [&](std::string_view line) { return decoded_line(pairs, line); });
  std::vector<std::uint32_t> ids;
  for (const auto& row : *o.ids) ids.insert(ids.end(), row.begin(), row.end());
  const std::string text = pairs.decode(ids);
  show(tokens_report(o, pairs, text, ids, shown_text(text)), {o.json, false, o.save}, context);
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
