#include "render/report.hpp"

#include "core/number.hpp"
#include "render/charts.hpp"
#include "render/footer.hpp"
#include "render/matrix.hpp"
#include "text/names.hpp"
#include "text/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <type_traits>

namespace tfx {

namespace {

/// What rounds to 0 has no sign.
std::string with_decimals(const Rounded& number) {
  const std::string text = fmt::format("{:.{}f}", number.value, number.decimals);
  return text == fmt::format("{:.{}f}", -0.0, number.decimals) ? text.substr(1) : text;
}

/// As every page shows it, whatever its language; what could drive a terminal is written out.
std::string text_of(const Cell& cell, int precision) {
  if (const auto* number = std::get_if<double>(&cell)) return screen_number(*number, precision);
  if (const auto* count = std::get_if<Count>(&cell)) return with_separators(count->value);
  if (const auto* integer = std::get_if<Integer>(&cell)) return std::to_string(integer->value);
  if (const auto* bytes = std::get_if<Bytes>(&cell)) return format_bytes(bytes->value);
  if (const auto* seconds = std::get_if<Seconds>(&cell)) return format_seconds(seconds->value);
  if (const auto* share = std::get_if<Share>(&cell)) return percent(share->value);
  if (const auto* rounded = std::get_if<Rounded>(&cell)) return with_decimals(*rounded);
  if (const auto* small = std::get_if<Significant>(&cell)) return significant(small->value, precision);
  if (const auto* truth = std::get_if<bool>(&cell)) return *truth ? "✓" : "✗";
  if (std::holds_alternative<None>(cell)) return "–";
  if (const auto* names = std::get_if<Names>(&cell)) return escape_controls(tfx::join(*names, ", "));
  if (const auto* numbers = std::get_if<std::vector<double>>(&cell)) return format_fact(*numbers, precision);
  if (const auto* shape = std::get_if<Shape>(&cell)) return to_page_string(*shape);
  if (const auto* text = std::get_if<Verbatim>(&cell))
    return escape_controls_in_lines(tfx::join(text->lines, "\n"));
  return escape_controls(std::get<std::string>(cell));
}

} // namespace

std::optional<std::string> text_of(const Sentence& sentence, const Paper& paper) {
  std::map<std::string, std::string> values;
  for (const auto& [name, fact] : sentence.values) values[name] = quoted_fact(fact, paper.style().precision);
  for (const auto& [name, said] : sentence.said) {
    const auto text = text_of(said, paper);
    if (!text) return std::nullopt;
    values[name] = *text;
  }
  return paper.word(sentence.key, values);
}

Cell text_or_none(const std::string& text) {
  return text.empty() ? Cell(None{}) : text;
}

Cell cell_of(const Fact& fact) {
  return std::visit([](const auto& held) { return Cell(held); }, fact);
}

Values list_in_both(const std::string& name, const std::vector<std::string>& items) {
  return {{name + "_en", listed(items, Language::en)}, {name + "_zh", listed(items, Language::zh)}};
}

Sentence either(const std::string& en, const std::string& zh) {
  return {"ui.either", {{"en", en}, {"zh", zh}}};
}

Sentence listed_in_both(const std::vector<std::string>& items) {
  return either(listed(items, Language::en), listed(items, Language::zh));
}

Sentence list_of(const std::string& key, std::vector<Sentence> items) {
  Sentence list = std::move(items.back());
  for (items.pop_back(); !items.empty(); items.pop_back())
    list = {key, {}, {{"first", std::move(items.back())}, {"rest", std::move(list)}}};
  return list;
}

std::optional<std::string> text_of(const Paragraph& paragraph, const Paper& paper) {
  std::string all;
  for (const Sentence& sentence : paragraph.said)
    if (const auto text = text_of(sentence, paper)) {
      const bool is_spaced =
          !all.empty() && static_cast<unsigned char>(all.back()) < 0x80; // "。" takes the place of a blank
      all += (is_spaced ? " " : "") + *text;
    }
  return all.empty() ? std::nullopt : std::optional(all);
}

std::string text_of(const Cell& cell, const Paper& paper) {
  if (const auto* sentence = std::get_if<Sentence>(&cell)) return line_of({*sentence}, paper);
  if (const auto* property = std::get_if<PropertyId>(&cell))
    return paper.property(property->id, property->measured);
  if (const auto* written = std::get_if<Written>(&cell)) return escape_controls(written->text(paper));
  return text_of(cell, paper.style().precision);
}

bool has_text(const Row& row, const Paper& paper) {
  const auto* verbatim = std::get_if<Verbatim>(&row.cell); // whose lines may be empty ones
  return verbatim ? !verbatim->lines.empty() : !text_of(row.cell, paper).empty();
}

std::string name_of(const Row& row, const Paper& paper) {
  return row.key.empty() ? "" : paper.word("row." + row.key).value_or(paper.ui(row.key));
}

namespace {

/// Where the table has that column.
std::size_t column_of(const ReportTable& table, const std::string& name) {
  const auto place = std::ranges::find(table.columns, name);
  if (place == table.columns.end()) throw defect("the table " + table.name + " has no column " + name);
  return static_cast<std::size_t>(place - table.columns.begin());
}

/// Whether sentences can quote it.
bool is_quotable(const Cell& cell) {
  return std::visit(
      []<class Held>(const Held&) {
        return !(std::is_same_v<Held, None> || std::is_same_v<Held, Values> ||
                 std::is_same_v<Held, PropertyId> || std::is_same_v<Held, Sentence> ||
                 std::is_same_v<Held, Written> || std::is_same_v<Held, Verbatim> ||
                 std::is_same_v<Held, Significant> || std::is_same_v<Held, Nested> ||
                 std::is_same_v<Held, Object> || std::is_same_v<Held, Objects> ||
                 std::is_same_v<Held, TensorOf>);
      },
      cell);
}

/// Of whole numbers, one so large that it is read by its thousands.
bool are_large_counts(const arma::vec& column) {
  constexpr double large = 10'000, exact = 9e15;
  const bool are_counts =
      std::ranges::all_of(column, [&](double x) { return x >= 0 && x < exact && x == std::floor(x); });
  return are_counts && !column.is_empty() && column.max() >= large;
}

} // namespace

const Names* last_names(const ReportTable& table, std::size_t row) {
  if (row >= table.rows.size()) return nullptr; // the total's
  return std::get_if<Names>(&table.rows[row][column_of(table, table.shown.back())]);
}

bool has_column(const Report& report, const ReportTable& table, std::size_t column) {
  return report.frame.with_time || table.rows.empty() ||
         !std::holds_alternative<Seconds>(table.rows[0][column]);
}

void Report::add(const std::string& name, Cell cell) {
  if (const auto* number = std::get_if<double>(&cell))
    trace.facts[name] = *number;
  else if (const auto* names = std::get_if<Names>(&cell))
    trace.facts[name] = *names;
  else if (const auto* numbers = std::get_if<std::vector<double>>(&cell))
    trace.facts[name] = *numbers;
  else if (is_quotable(cell))
    trace.facts[name] = text_of(cell, 0);
  parts.emplace_back(Member{name, std::move(cell)});
}

void Report::say_in_one(const std::vector<std::string>& keys) {
  Paragraph paragraph;
  for (const std::string& key : keys) paragraph.said.push_back({key});
  parts.emplace_back(std::move(paragraph));
}

ShownTable shown(const ReportTable& table, const Report& report, const Paper& paper) {
  ShownTable page;
  page.indents = table.indents, page.strong = table.strong;
  page.rows.resize(table.rows.size() + !table.total.empty());
  for (const std::string& name : table.shown) {
    const std::size_t column = column_of(table, name);
    if (!has_column(report, table, column)) continue;
    page.columns.push_back(name);
    for (std::size_t i = 0; i < table.rows.size(); ++i)
      page.rows[i].push_back(text_of(table.rows[i][column], paper));
    if (!table.total.empty()) page.rows.back().push_back(text_of(table.total[column], paper));
  }
  if (!table.total.empty()) page.strong.insert(table.rows.size());
  page.of_lists = !table.shown.empty() && !table.rows.empty() && last_names(table, 0);
  page.of_text = table.of_text;
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

std::optional<std::string> cost_of(const Report& report, const Paper& paper) {
  const std::optional<Cost>& measured = report.trace.measured;
  std::optional<std::string> text = paper.word("cost");
  if (!report.has_cost || !measured) return text;
  if (!text) text = amount(paper, *measured);
  if (!report.time) return *text + time_of(paper, *measured, report.frame);
  const auto time = text_of(*report.time, paper);
  return *text + (time && report.frame.with_time ? "   " + *time : "");
}

const char* sign(Finding::Mark mark) {
  switch (mark) {
  case Finding::Mark::good: return "✓";
  case Finding::Mark::bad: return "✗";
  case Finding::Mark::heed: return "!";
  case Finding::Mark::unknown: return "–";
  }
  return "";
}

std::string line_of(const std::vector<Sentence>& said, const Paper& paper) {
  std::string line;
  for (const Sentence& sentence : said)
    if (const auto text = text_of(sentence, paper)) line += (line.empty() ? "" : "  ") + *text;
  return line;
}

} // namespace tfx
