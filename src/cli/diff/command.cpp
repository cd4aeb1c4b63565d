// `tfx diff`: two files of arrays, compared.

#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/diff/difference.hpp"
#include "cli/lesson/save.hpp"
#include "cli/lesson/screen.hpp"
#include "core/number.hpp"
#include "input/files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace tfx {

namespace {

using Differences = std::vector<ArrayDifference>;

constexpr std::size_t max_shown = 40; ///< rows of a table, names of a list

std::string shown_name(const ArrayDifference& one) {
  return one.name.empty() ? in_words("diff.the_array") : one.name;
}

std::string place(const ArrayDifference& one) {
  return fmt::format("[{}]", fmt::join(index_of(one.a->shape, one.values->worst), ", "));
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

std::string number(double value) {
  return std::isfinite(value) ? fmt::format("{:.9g}", value) : screen_number(value, 4);
}

void say_files(Report& report, const ArrayFile& a, const ArrayFile& b) {
  Values values;
  for (const auto& [key, file] : {std::pair("a", &a), std::pair("b", &b)}) {
    values[key] = file->name();
    values[key + std::string("_arrays")] = std::to_string(file->entries().size());
    values[key + std::string("_bytes")] = format_bytes(static_cast<double>(file->size()));
  }
  report.say("files", values);
}

/// Those that can be compared cell by cell; equal ones where all are wanted.
void add_page_table(Report& report, const Differences& arrays, bool all) {
  ReportTable table;
  table.columns = table.shown = {"name", "shape", "cells", "abs", "rel", "ulp", "cosine", "at"};
  table.of_arrays = true;
  std::size_t left_out = 0;
  for (const ArrayDifference& one : arrays) {
    if (!one.values || (!all && one.verdict == ArrayVerdict::equal)) continue;
    if (!all && table.rows.size() >= max_shown) {
      ++left_out;
      continue;
    }
    const CellDifferences& d = *one.values;
    table.rows.push_back({shown_name(one), one.a->shape, std::to_string(d.different), deviation(d.largest),
                          deviation(d.largest_relative), d.ulp ? steps(*d.ulp) : "–",
                          std::isnan(d.cosine) ? "–" : screen_number(d.cosine, 6), place(one)});
  }
  if (!table.rows.empty()) report.add(std::move(table));
  if (left_out) report.say("more", {{"count", std::to_string(left_out)}});
}

/// Shapes, types, transposed ones, and what only one of the files has.
std::vector<Sentence> notes_on(const ArrayDifference& one) {
  const auto shape = [](const auto& entry) { return entry ? to_page_string(entry->shape) : ""; };
  const auto type = [](const auto& entry) { return entry ? entry->type() : ""; };
  const Values values{{"name", shown_name(one)},
                      {"a", shape(one.a)},
                      {"b", shape(one.b)},
                      {"a_type", type(one.a)},
                      {"b_type", type(one.b)}};
  std::vector<Sentence> notes;
  const auto note = [&](const char* key, bool holds) {
    if (holds) notes.push_back({std::string("note.") + key, values});
  };
  note("shapes", one.verdict == ArrayVerdict::shapes);
  note("transposed", one.transposed);
  note("nan", one.values && one.values->one_nan > 0);
  note("dtypes", one.a && one.b && one.a->dtype != one.b->dtype);
  note("only_a", one.verdict == ArrayVerdict::only_in_a);
  note("only_b", one.verdict == ArrayVerdict::only_in_b);
  return notes;
}

void add_notes(Report& report, const Differences& arrays) {
  std::size_t notes = 0;
  for (const ArrayDifference& one : arrays)
    for (const Sentence& note : notes_on(one))
      if (++notes <= max_shown) report.add({Finding::Mark::heed, {note}});
  if (notes > max_shown) report.say("more_notes", {{"count", std::to_string(notes - max_shown)}});
}

Sentence first_to_differ(const ArrayDifference& first) {
  if (first.verdict != ArrayVerdict::values) return {"first_missing", {{"name", shown_name(first)}}};
  return {"first",
          {{"name", shown_name(first)},
           {"at", place(first)},
           {"a", number(first.values->a)},
           {"b", number(first.values->b)}}};
}

Sentence rule_of(const FileTolerance& t) {
  if (t.absolute == 0 && t.relative == 0) return {"exact"};
  return {"within", {{"atol", fmt::format("{:g}", t.absolute)}, {"rtol", fmt::format("{:g}", t.relative)}}};
}

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

ReportTable tensor_table(const Differences& arrays) {
  ReportTable table{"tensors",
                    {"name", "verdict", "transposed", "a.dtype", "a.shape", "b.dtype", "b.shape", "cells",
                     "different", "one_nan", "max_abs", "max_rel", "max_ulp", "cosine", "at", "a_value",
                     "b_value"},
                    {}};
  const auto add_entry = [](std::vector<Cell>& row, const std::optional<ArrayFile::Entry>& entry) {
    row.push_back(entry ? Cell(std::string(entry->type())) : None{});
    row.push_back(entry ? Cell(entry->shape) : None{});
  };
  for (const ArrayDifference& one : arrays) {
    std::vector<Cell> row{one.name, word_of(one.verdict), one.transposed};
    add_entry(row, one.a), add_entry(row, one.b);
    if (one.values) {
      const CellDifferences& d = *one.values;
      row.insert(row.end(), {Count{d.cells}, Count{d.different}, Count{d.one_nan}, d.largest,
                             d.largest_relative, d.ulp ? Cell(Count{*d.ulp}) : None{}, d.cosine});
      if (d.cells > 0) row.insert(row.end(), {index_of(one.a->shape, d.worst), d.a, d.b});
    }
    row.resize(table.columns.size(), None{});
    table.rows.push_back(std::move(row));
  }
  return table;
}

struct DiffOptions {
  std::string a, b;
  std::optional<double> relative, absolute;
  bool all = false;
  ShowOptions show;
};

Report run(const DiffOptions& options, Context& context) {
  FileTolerance tolerance;
  tolerance.relative = options.relative.value_or(tolerance.relative);
  tolerance.absolute = options.absolute.value_or(tolerance.absolute);
  const ArrayFile a(options.a), b(options.b);
  note_header(options.a, a.header(), context.notes);
  note_header(options.b, b.header(), context.notes);
  const Differences arrays = compare_files(a, b, tolerance);
  const auto is_equal = [](const ArrayDifference& one) { return one.verdict == ArrayVerdict::equal; };
  const auto first = std::ranges::find_if_not(arrays, is_equal);
  const bool equal = first == arrays.end();

  Report report{frame_of_command("diff"), {}};
  report.frame.options = " " + shell_quoted(options.a) + " " + shell_quoted(options.b);
  report.title = Title::none;
  report.add("a", a.name()), report.add("b", b.name());
  report.add("rtol", tolerance.relative), report.add("atol", tolerance.absolute);
  report.add("equal", equal);
  report.add("first", equal ? Cell(None{}) : first->name);
  report.add(tensor_table(arrays));
  say_files(report, a, b);
  add_page_table(report, arrays, options.all);
  add_notes(report, arrays);
  if (!equal) report.parts.emplace_back(first_to_differ(*first));
  report.add({equal ? Finding::Mark::good : Finding::Mark::bad,
              {{"summary",
                {{"equal", std::to_string(std::ranges::count_if(arrays, is_equal))},
                 {"all", std::to_string(arrays.size())}}}},
              {rule_of(tolerance)}});
  report.status = equal ? 0 : static_cast<int>(ErrorKind::difference);
  return report;
}

} // namespace

Command diff_command() {
  using O = DiffOptions;
  return report_row<O, run>("diff", [](CLI::App& command, O& o, Context&) {
    constexpr double max_tolerance = 1e18;
    add_file_argument(command, "A", o.a, in_words("diff.a"));
    add_file_argument(command, "B", o.b, in_words("diff.b"));
    add_options<O>(command,
                   {{"--rtol", &O::relative, value::number("R", 0, max_tolerance), FileTolerance().relative},
                    {"--atol", &O::absolute, value::number("A", 0, max_tolerance), FileTolerance().absolute},
                    {"--all", &O::all}},
                   o);
    add_options(command, page_options(), o.show);
  });
}

} // namespace tfx
