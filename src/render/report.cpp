#include "render/report.hpp"

#include "core/number.hpp"
#include "render/charts.hpp"
#include "render/footer.hpp"
#include "render/heatmap.hpp"
#include "render/json.hpp"
#include "render/matrix.hpp"
#include "render/tensor_block.hpp"
#include "text/display_width.hpp"
#include "text/names.hpp"
#include "text/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

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

/// What a row's last column on the page lists, where that is what it has.
const Names* last_names(const ReportTable& table, std::size_t row) {
  if (row >= table.rows.size()) return nullptr; // the total's
  return std::get_if<Names>(&table.rows[row][column_of(table, table.shown.back())]);
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

void write_rows(JsonWriter& json, const Report& report, const ReportTable& table, const Paper& exact);
void write_members(JsonWriter& json, const Report& report, const std::vector<Member>& members,
                   const Paper& exact);

void write_cell(JsonWriter& json, const Report& report, const Cell& cell, const Paper& exact) {
  std::visit(
      [&]<class Held>(const Held& held) {
        if constexpr (std::is_same_v<Held, None>)
          json.null();
        else if constexpr (std::is_same_v<Held, Values>) {
          json.begin_object();
          for (const auto& [name, value] : held) json.key(name), json.value(value);
          json.end_object();
        } else if constexpr (std::is_same_v<Held, Nested>)
          write_rows(json, report, *held.table, exact);
        else if constexpr (std::is_same_v<Held, Object>)
          write_members(json, report, held.members, exact);
        else if constexpr (std::is_same_v<Held, Objects>) {
          json.begin_array();
          for (const Object& row : held) write_members(json, report, row.members, exact);
          json.end_array();
        } else if constexpr (std::is_same_v<Held, TensorOf>)
          json.tensor(held.read());
        else if constexpr (std::is_same_v<Held, Sentence>)
          json.value(line_of({held}, exact));
        else if constexpr (std::is_same_v<Held, Written>)
          json.value(held.text(exact));
        else if constexpr (std::is_same_v<Held, Verbatim>)
          json.value(held.lines);
        else if constexpr (std::is_same_v<Held, Bytes>)
          json.value(static_cast<std::size_t>(held.value));
        else if constexpr (std::is_same_v<Held, PropertyId>)
          json.value(held.id);
        else if constexpr (requires { held.value; })
          json.value(held.value);
        else
          json.value(held);
      },
      cell);
}

/// Members with dotted names: "blas.core" goes into the object "blas", which is open as long as its members
/// follow each other.
class NestedMembers {
public:
  explicit NestedMembers(JsonWriter& json) : json_(json) {}
  NestedMembers(const NestedMembers&) = delete;
  NestedMembers& operator=(const NestedMembers&) = delete;
  ~NestedMembers() { close(); }

  void key(const std::string& name) {
    const std::size_t dot = name.find('.');
    const std::string within = dot == std::string::npos ? "" : name.substr(0, dot);
    if (within != open_) {
      close();
      if (!within.empty()) json_.key(within), json_.begin_object();
      open_ = within;
    }
    json_.key(dot == std::string::npos ? name : name.substr(dot + 1));
  }

  void close() {
    if (!open_.empty()) json_.end_object();
    open_.clear();
  }

private:
  JsonWriter& json_;
  std::string open_;
};

void write_members(JsonWriter& json, const Report& report, const std::vector<Member>& members,
                   const Paper& exact) {
  json.begin_object();
  for (const Member& member : members) json.key(member.name), write_cell(json, report, member.cell, exact);
  json.end_object();
}

void write_row(JsonWriter& json, const Report& report, const ReportTable& table, const std::vector<Cell>& row,
               const Paper& exact) {
  json.begin_object();
  {
    NestedMembers members(json);
    for (std::size_t i = 0; i < row.size(); ++i)
      if (has_column(report, table, i))
        members.key(table.columns[i]), write_cell(json, report, row[i], exact);
  }
  json.end_object();
}

void write_rows(JsonWriter& json, const Report& report, const ReportTable& table, const Paper& exact) {
  json.begin_array();
  for (const std::vector<Cell>& row : table.rows) write_row(json, report, table, row, exact);
  for (std::size_t i = 0; i < table.made.count; ++i) write_row(json, report, table, table.made.row(i), exact);
  json.end_array();
}

Table page_table(const Paper& paper, const Report& report, const ReportTable& table) {
  const ShownTable page = shown(table, report, paper);
  Table lines;
  for (std::size_t c = 1; c < page.columns.size(); ++c)
    lines.headings.push_back(paper.column(page.columns[c]));
  if (page.of_lists || page.of_text) lines.last = Table::Last::text;
  const std::size_t digits = std::to_string(table.rows.size()).size();
  for (std::size_t i = 0; i < page.rows.size(); ++i) {
    const std::vector<std::string>& row = page.rows[i];
    TableRow line;
    line.strong = page.strong.contains(i);
    if (const auto indent = page.indents.find(i); indent != page.indents.end()) line.indent = indent->second;
    if (table.numbered && i < table.rows.size()) line.name = pad_left(std::to_string(i + 1), digits) + "  ";
    line.name += row[0];
    for (std::size_t c = 1; c < row.size(); ++c) line.cells.push_back(row[c]);
    if (const auto* names = last_names(table, i))
      for (const std::string& name : *names)
        line.names.push_back(paper.style().symbols(escape_controls(name)));
    lines.rows.push_back(line);
  }
  return lines;
}

void write_lines(Paper& paper, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) paper.line(line);
  if (!lines.empty()) paper.line();
}

/// A table of one column is a list.
void write_list(Paper& paper, const Report& report, const ReportTable& table) {
  const ShownTable list = shown(table, report, paper);
  const std::size_t digits = std::to_string(list.rows.size()).size();
  for (std::size_t i = 0; i < list.rows.size(); ++i) {
    const std::string number = table.numbered ? pad_left(std::to_string(i + 1), digits) + "  " : "";
    paper.hanging(number, list.rows[i][0], number.size());
  }
  paper.line();
}

void write_table(Paper& paper, const Report& report, const ReportTable& table) {
  if (table.shown.size() == 1) return write_list(paper, report, table);
  const Table lines = page_table(paper, report, table);
  if (table.of_arrays)
    write_lines(paper, array_table_lines(lines, paper.style()));
  else
    paper.table(lines);
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

} // namespace

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

namespace {

std::string coloured_sign(Finding::Mark mark, const Style& style) {
  const std::string text = style.symbols(sign(mark));
  if (mark == Finding::Mark::unknown) return style.dim(text);
  return mark == Finding::Mark::good ? style.good(text) : style.bad(text);
}

/// Columns of the findings' marks, and of the names that they have; each with what stands behind it.
struct FindingColumns {
  std::size_t mark = 0, name = 0;
};

FindingColumns columns_of(const Report& report, const Paper& paper) {
  constexpr std::size_t after_mark = 1, after_name = 2;
  const Style& style = paper.style();
  FindingColumns columns;
  for (const auto& part : report.parts)
    if (const auto* finding = std::get_if<Finding>(&part)) {
      columns.mark = std::max(columns.mark, display_width(style.symbols(sign(finding->mark))) + after_mark);
      if (const std::string name = text_of(finding->name, paper); !name.empty())
        columns.name = std::max(columns.name, display_width(style.symbols(name)) + after_name);
    }
  return columns;
}

/// On a narrow page, or beside long names, what is said stands below the name. Beside names all marks are as
/// wide as the widest.
void write_finding(Paper& paper, const Finding& finding, const FindingColumns& columns) {
  constexpr std::size_t narrow = 64;
  const Style& style = paper.style();
  const std::size_t own = display_width(style.symbols(sign(finding.mark))),
                    mark = columns.name > 0 ? columns.mark : own + 1;
  const std::string name = style.symbols(text_of(finding.name, paper));
  const bool has_room = style.width >= narrow && mark + columns.name <= style.width * 2 / 3,
             is_below = !name.empty() && !has_room;
  const std::size_t indent = is_below || name.empty() ? mark : mark + columns.name;
  std::string before = coloured_sign(finding.mark, style) + std::string(mark - own, ' ');
  if (is_below)
    paper.hanging(before, name, mark), before = std::string(mark, ' ');
  else
    before += pad_right(name, indent - mark);
  paper.hanging(before, line_of(finding.said, paper), indent);
  for (const Sentence& sentence : finding.below)
    paper.hanging(std::string(indent, ' '), line_of({sentence}, paper), indent);
}

void write_heading(Paper& paper, const Heading& heading) {
  const Style& style = paper.style();
  const std::string text = style.symbols(text_of(heading.cell, paper)),
                    aside = heading.aside ? style.symbols(line_of({*heading.aside}, paper)) : "";
  if (heading.is_answer) {
    paper.line(style.bold(text));
    return paper.line();
  }
  const std::size_t used = display_width(text) + display_width(aside);
  if (!aside.empty() && used < style.width) {
    paper.line(style.bold(text) + std::string(style.width - used, ' ') + style.dim(aside));
  } else {
    for (const std::string& line : wrap(text, style.width)) paper.line(style.bold(line));
    if (!aside.empty()) paper.hanging("", aside, 0);
  }
  if (heading.is_spaced) paper.line();
}

struct ItemColumns {
  std::size_t mark = 0, number = 0, name = 0;
};

ItemColumns item_columns(const Report& report) {
  ItemColumns columns;
  for (const auto& part : report.parts)
    if (const auto* item = std::get_if<Item>(&part)) {
      const auto widen = [](std::size_t& column, const std::string& text, std::size_t after) {
        if (!text.empty()) column = std::max(column, display_width(text) + after);
      };
      widen(columns.mark, item->mark, 1), widen(columns.number, item->number, 1);
      widen(columns.name, item->name, 1);
    }
  return columns;
}

/// On a narrow page, or beside long names, what is said stands below the name.
void write_item(Paper& paper, const Item& item, const ItemColumns& columns) {
  constexpr std::size_t least = 20, below = 4, between = 2;
  const Style& style = paper.style();
  std::size_t indent = columns.mark + columns.number + columns.name;
  std::string before = pad_right(item.mark, columns.mark) + pad_right(item.number, columns.number) +
                       (columns.name > 0 ? style.bold(pad_right(item.name, columns.name)) : "");
  if (columns.name > 0 && indent + least > style.width) {
    paper.line(before);
    indent = below, before = std::string(below, ' ');
  }
  const std::vector<std::string> lines =
      wrap(style.symbols(text_of(item.said, paper)), std::max(style.width, indent + 1) - indent);
  for (const std::string& line : lines) {
    const std::size_t used = indent + display_width(line) + between + display_width(item.aside);
    const bool has_aside = !item.aside.empty() && &line == &lines.back() && used <= style.width;
    paper.line(before + line +
               (has_aside ? std::string(style.width - used + between, ' ') + style.dim(item.aside) : ""));
    before = std::string(indent, ' ');
  }
}

void write_entry(Paper& paper, const Entry& entry) {
  constexpr std::size_t indent = 2;
  paper.line(paper.style().bold(entry.name));
  for (const Sentence& sentence : entry.said)
    if (const auto text = text_of(sentence, paper); text && !text->empty())
      paper.hanging(std::string(indent, ' '), *text, indent);
  paper.line();
}

void write_alignments(Paper& paper, const Alignments& alignments) {
  const Style& style = paper.style();
  if (style.picture == Picture::off || alignments.pictures.empty()) return;
  const auto said = text_of(Paragraph{{alignments.said, alignments.some}}, paper);
  if (alignments.is_section)
    paper.subheading(said);
  else
    paper.paragraph(said);
  std::vector<TextBlock> pictures;
  for (const auto& [tensor, matrix, title, name] : alignments.pictures) {
    TextBlock picture;
    if (!name.empty()) picture.add(style.symbols(name));
    picture.add(alignment_picture(paper.trace().step_named(tensor), matrix,
                                  text_of(title, paper).value_or(""), style));
    pictures.push_back(std::move(picture));
  }
  write_lines(paper,
              place(!alignments.some.key.empty() ? first_band(std::move(pictures), style.width) : pictures,
                    style.width));
}

void write_picture(Paper& paper, const ReportPart& part) {
  const Style& style = paper.style();
  if (const auto* series = std::get_if<Series>(&part); series && series->values.size() > 1)
    paper.paragraph(text_of(series->said, paper)), write_lines(paper, shown(*series, style));
  else if (const auto* drawing = std::get_if<Drawing>(&part))
    write_lines(paper, drawing->draw(style, language()));
  else if (const auto* alignments = std::get_if<Alignments>(&part))
    write_alignments(paper, *alignments);
}

void write_next(Paper& paper, const Report& report) {
  std::string name = paper.ui("next"), commands;
  for (const std::string& command : report.next)
    if (!command.empty()) commands += (commands.empty() ? "tfx " : "    tfx ") + command;
  if (!commands.empty()) paper.row(name, commands), name.clear();
  for (const Sentence& sentence : report.onward)
    if (const auto text = text_of(sentence, paper)) paper.row(name, *text), name.clear();
}

void write_tried(Paper& paper, const Tried& tried, const Screen& frame) {
  if (const Experiment* experiment = paper.trace().find_experiment(tried.experiment))
    write_experiment(paper, *experiment, TensorBlocks(paper, frame, Effort::left_out));
}

void write_row(Paper& paper, const Row& row) {
  if (const auto* text = std::get_if<Verbatim>(&row.cell)) return paper.row(name_of(row, paper), text->lines);
  const std::string mark = row.mark ? std::string(sign(*row.mark)) + " " : "";
  paper.row(name_of(row, paper), mark + text_of(row.cell, paper), row.mark.has_value());
}

} // namespace

std::string render_screen(const Report& report, const Words& words, const Style& style) {
  if (report.walk) return page_of(*report.walk, report.trace, report.frame, words, style);
  if (report.run == RunView::page) return render_page(report.trace, report.frame, words, style);
  if (report.run == RunView::whole) return render_screen(report.trace, report.frame, words, style);
  Paper paper(report.trace, words, style);
  std::string page;
  if (report.title != Title::none) write_title(paper, report.frame), page = paper.take();
  if (report.title == Title::tight) page.pop_back(); // the blank line
  const FindingColumns columns = columns_of(report, paper);
  const ItemColumns of_items = item_columns(report);
  bool after_finding = false, after_row = false, after_item = false; // they stand below each other
  for (const auto& part : report.parts) {
    const auto* finding = std::get_if<Finding>(&part);
    const auto* row = std::get_if<Row>(&part);
    const auto* item = std::get_if<Item>(&part);
    const auto* table = std::get_if<ReportTable>(&part);
    const bool is_json = std::holds_alternative<Member>(part) || (table && table->shown.empty());
    if (is_json || (row && !has_text(*row, paper))) continue;
    if ((after_finding || after_row || after_item) && (row ? row->is_apart : !finding && !item)) paper.line();
    after_finding = finding, after_row = row, after_item = item;
    if (finding)
      write_finding(paper, *finding, columns);
    else if (row)
      write_row(paper, *row);
    else if (item)
      write_item(paper, *item, of_items);
    else if (const auto* heading = std::get_if<Heading>(&part))
      write_heading(paper, *heading);
    else if (const auto* subheading = std::get_if<Subheading>(&part))
      paper.subheading(text_of(subheading->cell, paper));
    else if (const auto* entry = std::get_if<Entry>(&part))
      write_entry(paper, *entry);
    else if (const auto* sentence = std::get_if<Sentence>(&part))
      paper.paragraph(text_of(*sentence, paper));
    else if (const auto* paragraph = std::get_if<Paragraph>(&part))
      paper.paragraph(text_of(*paragraph, paper));
    else if (table)
      write_table(paper, report, *table);
    else if (const auto* tried = std::get_if<Tried>(&part))
      write_tried(paper, *tried, report.frame);
    else if (!report.frame.quiet)
      write_picture(paper, part);
  }
  if (after_finding) paper.line(); // rows go on in those of the foot
  if (report.has_looks()) write_looks(paper, report.looks);
  if (report.run && !report.frame.quiet)
    write_folded_checks(paper, report.frame);
  else
    write_checks(paper);
  if (const auto cost = cost_of(report, paper)) paper.row(paper.ui("cost"), *cost);
  write_next(paper, report);
  page += paper.take();
  if (page.ends_with("\n\n")) page.pop_back(); // nothing follows the last part
  return page;
}

std::string render_json(const Report& report, const Words& words) {
  if (report.run) return render_json(report.trace, {report.frame.with_time, report.frame.only});
  Style style;
  style.precision = all_digits;
  const Paper exact(report.trace, words, style);
  JsonWriter json;
  begin_command(json, report.frame.command, report.frame.is_lesson ? 1 : 2);
  NestedMembers members(json);
  for (const auto& part : report.parts) {
    if (const auto* member = std::get_if<Member>(&part)) {
      members.key(member->name), write_cell(json, report, member->cell, exact);
    } else if (const auto* table = std::get_if<ReportTable>(&part); table && !table->name.empty()) {
      members.key(table->name);
      write_rows(json, report, *table, exact);
    } else if (const auto* series = std::get_if<Series>(&part)) {
      members.key(series->name), json.value(series->values);
    }
  }
  members.close();
  if (report.has_tensors) write_tensors(json, report.trace);
  if (report.has_cost || !report.trace.checks.empty()) write_checks(json, report.trace);
  if (report.has_cost && report.trace.measured) {
    json.key("cost"), json.begin_object();
    write_cost(json, *report.trace.measured, report.frame.with_time);
    json.end_object();
  }
  return end_command(json);
}

} // namespace tfx
