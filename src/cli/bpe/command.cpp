// tfx bpe: byte-pair encoding, learned from a text and applied to one.

#include "cli/add_option.hpp"
#include "cli/bpe/options.hpp"
#include "cli/bpe/screen.hpp"
#include "cli/commands.hpp"
#include "cli/terminal_lines.hpp"
#include "cli/text_lines.hpp"
#include "core/error.hpp"
#include "core/progress.hpp"
#include "core/visible.hpp"
#include "io/csv.hpp"
#include "io/file.hpp"
#include "lessons/run.hpp"
#include "options/parse.hpp"
#include "text/utf8.hpp"
#include "tokens/byte_pair_files.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>

namespace tfx {

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
  const std::string text = read_file(o.file);
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
  std::vector<Merge> merges = read_merges(read_file(o.file), o.file);
  if (!o.vocab) return BytePairs(std::move(merges));
  std::vector<std::string> tokens = read_vocabulary(read_file(*o.vocab), merges, *o.vocab);
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
  const std::string text = read_file(file);
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

void add_bpe_command(CLI::App& app, Context& context) {
  const auto options = std::make_shared<BpeOptions>();
  const auto start = [&context, options] { run(*options, context); };
  add_command(app, context, "bpe", in_words("command.bpe"), start, [options](CLI::App& command) {
    add_argument(command, "ACTION", options->action, in_words("bpe.action"));
    add_file_argument(command, "FILE", options->file, in_words("bpe.file"));
    for (const char* name : {"ACTION", "FILE"})
      command.get_option(name)->required(false); // the page needs none
    add_options(command, bpe_options(), *options);
  });
}

} // namespace tfx
