#include "render/report.hpp"

#include "render/footer.hpp"
#include "render/heatmap.hpp"
#include "render/model_walk.hpp"
#include "render/tensor_block.hpp"
#include "text/display_width.hpp"
#include "text/utf8.hpp"

#include <algorithm>

namespace tfx {

namespace {

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
  const bool is_below = columns.name > 0 && indent + least > style.width;
  std::string before = pad_right(item.mark, columns.mark) + pad_right(item.number, columns.number);
  if (is_below)
    paper.line(before + style.bold(item.name)), indent = below, before = std::string(below, ' ');
  else if (columns.name > 0)
    before += style.bold(pad_right(item.name, columns.name));
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

/// Commands beside each other as long as they fit.
void write_next(Paper& paper, const Report& report) {
  std::string name = paper.ui("next"), row;
  const auto end_row = [&] {
    if (!row.empty()) paper.row(name, row), name.clear(), row.clear();
  };
  for (const std::string& command : report.next) {
    if (command.empty()) continue;
    const std::string beside = (row.empty() ? "" : row + "    ") + "tfx " + command;
    const bool fits = Paper::margin + display_width(paper.style().symbols(beside)) <= paper.style().width;
    if (!row.empty() && !fits) end_row();
    row = row.empty() ? "tfx " + command : beside;
  }
  end_row();
  for (const Sentence& sentence : report.onward)
    if (const auto text = text_of(sentence, paper)) paper.row(name, *text), name.clear();
}

void write_tried(Paper& paper, const Tried& tried, const Screen& frame) {
  if (const Experiment* experiment = paper.trace().find_experiment(tried.experiment))
    write_experiment(paper, *experiment, TensorBlocks(paper, frame, Effort::left_out));
}

void write_named_row(Paper& paper, const Row& row) {
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
      write_named_row(paper, *row);
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
  if (report.run && !report.frame.quiet) // without what it is about every check is named
    write_folded_checks(paper, report.frame);
  else
    write_checks(paper);
  if (const auto cost = cost_of(report, paper)) paper.row(paper.ui("cost"), *cost);
  write_next(paper, report);
  page += paper.take();
  if (page.ends_with("\n\n")) page.pop_back(); // nothing follows the last part
  return page;
}

} // namespace tfx
