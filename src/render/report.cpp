#include "render/report.hpp"

#include "core/number.hpp"
#include "render/charts.hpp"
#include "render/footer.hpp"
#include "render/json.hpp"
#include "render/matrix.hpp"
#include "render/paper.hpp"
#include "text/display_width.hpp"
#include "text/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace tfx {

namespace {

/// As a page shows it.
std::string text_of(const Cell& cell, int precision) {
  if (const auto* number = std::get_if<double>(&cell)) return screen_number(*number, precision);
  if (const auto* count = std::get_if<Count>(&cell)) return with_separators(count->value);
  if (const auto* bytes = std::get_if<Bytes>(&cell)) return format_bytes(bytes->value);
  if (const auto* seconds = std::get_if<Seconds>(&cell)) return format_seconds(seconds->value);
  if (const auto* share = std::get_if<Share>(&cell)) return fmt::format("{:.1f} %", 100 * share->value);
  return std::get<std::string>(cell);
}

/// Whether the report has that column of the table, which its times may not be.
bool has_column(const Report& report, const ReportTable& table, std::size_t column) {
  return report.frame.with_time || table.rows.empty() ||
         !std::holds_alternative<Seconds>(table.rows[0][column]);
}

/// Of whole numbers, one so large that it is read by its thousands.
bool are_large_counts(const arma::vec& column) {
  constexpr double large = 10'000, exact = 9e15;
  const bool are_counts =
      std::ranges::all_of(column, [&](double x) { return x >= 0 && x < exact && x == std::floor(x); });
  return are_counts && !column.is_empty() && column.max() >= large;
}

void write_cell(JsonWriter& json, const Cell& cell) {
  std::visit(
      [&](const auto& held) {
        if constexpr (requires { held.value; })
          json.value(held.value);
        else
          json.value(held);
      },
      cell);
}

void write_row(JsonWriter& json, const Report& report, const ReportTable& table,
               const std::vector<Cell>& row) {
  std::string open; // the object within the row that members stand in
  json.begin_object();
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (!has_column(report, table, i)) continue;
    const std::string& name = table.columns[i];
    const std::size_t dot = name.find('.');
    const std::string within = dot == std::string::npos ? "" : name.substr(0, dot);
    if (within != open) {
      if (!open.empty()) json.end_object();
      if (!within.empty()) json.key(within), json.begin_object();
      open = within;
    }
    json.key(dot == std::string::npos ? name : name.substr(dot + 1));
    write_cell(json, row[i]);
  }
  if (!open.empty()) json.end_object();
  json.end_object();
}

Table page_table(const Paper& paper, const Report& report, const ReportTable& table) {
  const ShownTable page = shown(table, report, paper.style().precision);
  Table lines;
  for (std::size_t c = 1; c < page.columns.size(); ++c)
    lines.headings.push_back(paper.column(page.columns[c]));
  const std::size_t digits = std::to_string(page.rows.size()).size();
  for (const std::vector<std::string>& row : page.rows) {
    TableRow line;
    if (table.numbered) line.name = pad_left(std::to_string(lines.rows.size() + 1), digits) + "  ";
    line.name += escape_controls(row[0]);
    for (std::size_t c = 1; c < row.size(); ++c) line.cells.push_back(escape_controls(row[c]));
    lines.rows.push_back(line);
  }
  return lines;
}

} // namespace

void Report::add(const std::string& name, Cell cell) {
  if (const auto* number = std::get_if<double>(&cell))
    trace.facts[name] = *number;
  else
    trace.facts[name] = text_of(cell, 0);
  parts.emplace_back(Member{name, std::move(cell)});
}

ShownTable shown(const ReportTable& table, const Report& report, int precision) {
  ShownTable page;
  page.rows.resize(table.rows.size());
  for (const std::string& name : table.shown) {
    const auto place = std::ranges::find(table.columns, name);
    if (place == table.columns.end()) throw defect("the table " + table.name + " has no column " + name);
    const auto column = static_cast<std::size_t>(place - table.columns.begin());
    if (!has_column(report, table, column)) continue;
    page.columns.push_back(name);
    for (std::size_t i = 0; i < table.rows.size(); ++i)
      page.rows[i].push_back(text_of(table.rows[i][column], precision));
  }
  return page;
}

ShownTable shown(const Experiment& experiment, const Style& style) {
  const arma::mat values = matrix(experiment.values);
  const Shown rows = shown_of(values.n_rows, values.n_rows, 0), one = shown_of(1, 1, 0);
  ShownTable table{{""}, {}, experiment.worded};
  table.columns.insert(table.columns.end(), experiment.columns.begin(), experiment.columns.end());
  for (const std::string& row : experiment.rows) table.rows.push_back({row});
  for (std::size_t i = 0; i < experiment.texts.size(); ++i)
    std::ranges::copy(experiment.texts[i], std::back_inserter(table.rows[i]));
  for (arma::uword j = 0; j < values.n_cols; ++j) {
    const auto cells = aligned_cells(values.col(j), rows, one, style);
    const bool counted = are_large_counts(values.col(j));
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const bool is_none = !experiment.texts.empty() && std::isnan(values(i, j));
      table.rows[i].push_back(is_none   ? "–"
                              : counted ? with_separators(static_cast<std::size_t>(values(i, j)))
                                        : cells[i].front());
    }
  }
  return table;
}

std::vector<std::string> shown(const Series& series, const Style& style) {
  constexpr std::size_t height = 10, widest = 100;
  if (series.values.size() < 2) return {};
  return curve(series.values, 1, std::min(style.width, widest), height, style).lines;
}

namespace {

void write_series(Paper& paper, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) paper.line(line);
  if (!lines.empty()) paper.line();
}

} // namespace

std::string render_screen(const Report& report, const Words& words, const Style& style) {
  Paper paper(report.trace, words, style);
  write_title(paper, report.frame);
  for (const auto& part : report.parts) {
    if (const auto* sentence = std::get_if<Sentence>(&part))
      paper.paragraph(paper.word(sentence->key, sentence->values));
    else if (const auto* table = std::get_if<ReportTable>(&part); table && !table->shown.empty())
      paper.table(page_table(paper, report, *table));
    else if (const auto* series = std::get_if<Series>(&part))
      write_series(paper, shown(*series, style));
  }
  write_looks(paper);
  write_checks(paper);
  if (const auto cost = paper.word("cost")) paper.row(paper.ui("cost"), *cost);
  std::string next;
  for (const std::string& command : report.next)
    if (!command.empty()) next += (next.empty() ? "tfx " : "    tfx ") + command;
  if (!next.empty()) paper.row(paper.ui("next"), next);
  return paper.take();
}

std::string render_json(const Report& report) {
  JsonWriter json;
  begin_command(json, report.frame.command);
  for (const auto& part : report.parts) {
    if (const auto* member = std::get_if<Member>(&part)) {
      json.key(member->name), write_cell(json, member->cell);
    } else if (const auto* table = std::get_if<ReportTable>(&part)) {
      json.key(table->name);
      json.begin_array();
      for (const std::vector<Cell>& row : table->rows) write_row(json, report, *table, row);
      json.end_array();
    } else if (const auto* series = std::get_if<Series>(&part)) {
      json.key(series->name), json.value(series->values);
    }
  }
  if (!report.trace.checks.empty()) write_checks(json, report.trace);
  json.end_object();
  return json.take();
}

} // namespace tfx
