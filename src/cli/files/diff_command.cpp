// `tfx diff`: two files of arrays, compared.

#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/context.hpp"
#include "cli/files/difference.hpp"
#include "core/number.hpp"
#include "input/files.hpp"
#include "render/json.hpp"
#include "render/paper.hpp"
#include "render/style.hpp"
#include "render/text_layout.hpp"
#include "text/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tfx {

namespace {

struct Compared {
  const ArrayFile& a;
  const ArrayFile& b;
  FileTolerance tolerance;
  std::vector<ArrayDifference> arrays;

  bool equal() const;
};

enum class DiffList { different, all };

bool Compared::equal() const {
  return std::ranges::all_of(arrays,
                             [](const ArrayDifference& one) { return one.verdict == ArrayVerdict::equal; });
}

constexpr std::size_t max_shown = 40; ///< rows of a table, names of a list

std::string shown_name(const ArrayDifference& one) {
  return one.name.empty() ? in_words("diff.the_array") : escape_controls(one.name);
}

std::string place(const ArrayDifference& one) {
  std::string text;
  for (const std::size_t i : index_of(one.a->shape, one.values->worst))
    text += (text.empty() ? "[" : ", ") + std::to_string(i);
  return text.empty() ? "[]" : text + "]";
}

std::string deviation(double value) {
  return std::isnan(value)   ? "NaN"
         : value == 0        ? "0"
         : std::isinf(value) ? "∞"
                             : fmt::format("{:.2e}", value);
}

/// Counts beyond a million say their size only.
std::string steps(std::uint64_t ulp) {
  return ulp < 1'000'000 ? std::to_string(ulp) : fmt::format("{:.1e}", static_cast<double>(ulp));
}

class DiffScreen {
public:
  DiffScreen(const Compared& compared, const Context& context)
      : compared_(compared), style_(context.style()) {}

  std::string text(DiffList list) {
    files();
    table(list);
    notes();
    first();
    summary();
    return std::move(out_);
  }

private:
  void paragraph(const std::string& text) { out_ += wrapped(text, style_); }

  void files() {
    for (const auto& [key, file] : {std::pair("A", &compared_.a), std::pair("B", &compared_.b)})
      paragraph(in_words("diff.file", {{"letter", key},
                                       {"name", escape_controls(file->name())},
                                       {"arrays", std::to_string(file->entries().size())},
                                       {"bytes", format_bytes(static_cast<double>(file->size()))}}));
    out_ += "\n";
  }

  std::size_t count(ArrayVerdict verdict) const {
    return static_cast<std::size_t>(std::ranges::count(compared_.arrays, verdict, &ArrayDifference::verdict));
  }

  TableRow row(const ArrayDifference& one) const {
    const CellDifferences& d = *one.values;
    return {shown_name(one),
            {to_page_string(one.a->shape), fmt::format("{}", d.different), deviation(d.largest),
             deviation(d.largest_relative), d.ulp ? steps(*d.ulp) : "–",
             std::isnan(d.cosine) ? "–" : screen_number(d.cosine, 6), place(one)},
            0,
            false};
  }

  void table(DiffList list) {
    Table table;
    for (const char* key : {"shape", "cells", "abs", "rel", "ulp", "cosine", "at"})
      table.headings.push_back(in_words(std::string("diff.column.") + key));
    std::size_t left_out = 0;
    for (const ArrayDifference& one : compared_.arrays) {
      if (!one.values || (list == DiffList::different && one.verdict == ArrayVerdict::equal)) continue;
      if (list == DiffList::all || table.rows.size() < max_shown)
        table.rows.push_back(row(one));
      else
        ++left_out;
    }
    if (table.rows.empty()) return;
    out_ += in_lines(array_table_lines(table, style_));
    if (left_out) paragraph(in_words("diff.more", {{"count", std::to_string(left_out)}}));
    out_ += "\n";
  }

  /// Shapes, types, transposed ones, and what only one of the files has.
  void notes() {
    const std::size_t before = out_.size();
    std::size_t shown = 0;
    const auto note = [&](const char* key, const ArrayDifference& one) {
      if (++shown > max_shown) return;
      const auto shape = [](const auto& entry) { return entry ? to_page_string(entry->shape) : ""; };
      const auto type = [](const auto& entry) { return entry ? entry->type() : ""; };
      paragraph(in_words(std::string("diff.note.") + key, {{"name", shown_name(one)},
                                                           {"a", shape(one.a)},
                                                           {"b", shape(one.b)},
                                                           {"a_type", type(one.a)},
                                                           {"b_type", type(one.b)}}));
    };
    for (const ArrayDifference& one : compared_.arrays) {
      if (one.verdict == ArrayVerdict::shapes) note("shapes", one);
      if (one.transposed) note("transposed", one);
      if (one.values && one.values->one_nan > 0) note("nan", one);
      if (one.a && one.b && one.a->dtype != one.b->dtype) note("dtypes", one);
      if (one.verdict == ArrayVerdict::only_in_a) note("only_a", one);
      if (one.verdict == ArrayVerdict::only_in_b) note("only_b", one);
    }
    if (shown > max_shown)
      paragraph(in_words("diff.more_notes", {{"count", std::to_string(shown - max_shown)}}));
    if (out_.size() > before) out_ += "\n";
  }

  void first() {
    const auto one = std::ranges::find_if(
        compared_.arrays, [](const ArrayDifference& each) { return each.verdict != ArrayVerdict::equal; });
    if (one == compared_.arrays.end()) return;
    if (one->verdict != ArrayVerdict::values)
      return paragraph(in_words("diff.first_missing", {{"name", shown_name(*one)}}));
    paragraph(in_words("diff.first", {{"name", shown_name(*one)},
                                      {"at", place(*one)},
                                      {"a", number(one->values->a)},
                                      {"b", number(one->values->b)}}));
  }

  static std::string number(double value) {
    return std::isfinite(value) ? fmt::format("{:.9g}", value) : screen_number(value, 4);
  }

  void summary() {
    const std::size_t all = compared_.arrays.size(), equal = count(ArrayVerdict::equal);
    const FileTolerance& t = compared_.tolerance;
    const std::string rule = t.absolute == 0 && t.relative == 0
                                 ? in_words("diff.exact")
                                 : in_words("diff.within", {{"atol", fmt::format("{:g}", t.absolute)},
                                                            {"rtol", fmt::format("{:g}", t.relative)}});
    paragraph((equal == all ? "✓ " : "✗ ") +
              in_words("diff.summary", {{"equal", std::to_string(equal)}, {"all", std::to_string(all)}}));
    paragraph(rule);
  }

  const Compared& compared_;
  const Style style_;
  std::string out_;
};

const char* word_of(ArrayVerdict verdict) {
  switch (verdict) {
  case ArrayVerdict::equal: return "equal";
  case ArrayVerdict::values: return "values differ";
  case ArrayVerdict::shapes: return "shapes differ";
  case ArrayVerdict::only_in_a: return "only in a";
  case ArrayVerdict::only_in_b: return "only in b";
  }
  return "";
}

void write_entry(JsonWriter& json, const char* key, const std::optional<ArrayFile::Entry>& entry) {
  json.key(key);
  if (!entry) return json.null();
  json.begin_object();
  json.key("dtype"), json.value(entry->type());
  json.key("shape"), json.value(entry->shape);
  json.end_object();
}

void write_values(JsonWriter& json, const ArrayDifference& one) {
  const CellDifferences& d = *one.values;
  json.key("cells"), json.value(d.cells);
  json.key("different"), json.value(d.different);
  json.key("one_nan"), json.value(d.one_nan);
  json.key("max_abs"), json.value(d.largest);
  json.key("max_rel"), json.value(d.largest_relative);
  json.key("max_ulp");
  d.ulp ? json.value(static_cast<std::size_t>(*d.ulp)) : json.null();
  json.key("cosine"), json.value(d.cosine);
  if (d.cells == 0) return;
  json.key("at"), json.value(index_of(one.a->shape, d.worst));
  json.key("a_value"), json.value(d.a);
  json.key("b_value"), json.value(d.b);
}

std::string diff_screen(const Compared& compared, DiffList list, const Context& context) {
  return DiffScreen(compared, context).text(list);
}

std::string diff_json(const Compared& compared) {
  JsonWriter json;
  begin_command(json, "diff");
  json.key("a"), json.value(compared.a.name());
  json.key("b"), json.value(compared.b.name());
  json.key("rtol"), json.value(compared.tolerance.relative);
  json.key("atol"), json.value(compared.tolerance.absolute);
  json.key("equal"), json.value(compared.equal());
  json.key("first");
  const auto first = std::ranges::find_if(
      compared.arrays, [](const ArrayDifference& one) { return one.verdict != ArrayVerdict::equal; });
  first == compared.arrays.end() ? json.null() : json.value(first->name);
  json.key("tensors"), json.begin_array();
  for (const ArrayDifference& one : compared.arrays) {
    json.begin_object();
    json.key("name"), json.value(one.name);
    json.key("verdict"), json.value(word_of(one.verdict));
    json.key("transposed"), json.value(one.transposed);
    write_entry(json, "a", one.a), write_entry(json, "b", one.b);
    if (one.values) write_values(json, one);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return json.take();
}

// tfx diff: two files of arrays, compared.

struct DiffOptions {
  std::string a, b;
  std::optional<double> relative, absolute;
  bool all = false, json = false;
};

void run(const DiffOptions& options, Context& context) {
  FileTolerance tolerance;
  tolerance.relative = options.relative.value_or(tolerance.relative);
  tolerance.absolute = options.absolute.value_or(tolerance.absolute);
  const ArrayFile a(options.a), b(options.b);
  note_header(options.a, a.header(), context.notes);
  note_header(options.b, b.header(), context.notes);
  const Compared compared{a, b, tolerance, compare_files(a, b, tolerance)};
  if (!compared.equal()) context.status = static_cast<int>(ErrorKind::difference);
  context.out = options.json
                    ? diff_json(compared) + "\n"
                    : diff_screen(compared, options.all ? DiffList::all : DiffList::different, context);
}

} // namespace

Command diff_command() {
  using O = DiffOptions;
  return command_row<O>("diff", run, [](CLI::App& command, O& o, Context&) {
    constexpr double max_tolerance = 1e18;
    add_file_argument(command, "A", o.a, in_words("diff.a"));
    add_file_argument(command, "B", o.b, in_words("diff.b"));
    add_options<O>(command,
                   {{"--rtol", &O::relative, value::number("R", 0, max_tolerance), FileTolerance().relative},
                    {"--atol", &O::absolute, value::number("A", 0, max_tolerance), FileTolerance().absolute},
                    {"--all", &O::all},
                    {"--json", &O::json}},
                   o);
  });
}

} // namespace tfx
